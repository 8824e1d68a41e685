// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplinePlugin
import Testing

@Suite("A choice of detectors")
struct DetectorChoiceTests {
    private static func problems(_ names: [String]) -> [Diagnostic] {
        var diagnostics = Diagnostics()
        let choice = DetectorChoice(names: names.map { Located($0) })
        let set = PluginRegistry.detectors.detectors?.build(choice, into: &diagnostics)
        #expect(set == nil)
        return diagnostics.all
    }

    @Test("accepts names of detectors, groups and `standard`")
    func names() throws {
        #expect(try Scan(["jwt", "email"]).set.kinds == ["jwt", "email"])
        #expect(try Scan(["personal"]).set.kinds == ["email", "phone_number", "ip_address"])
        let standard = try Scan(DetectorChoice(standard: true)).set.kinds
        #expect(standard.count >= 100 && !standard.contains("ip_address"))
        #expect(try Scan(["standard"]).set.kinds == standard)
        #expect(try Scan(["standard", "ip_address"]).set.kinds == standard + ["ip_address"])
        #expect(try Scan([]).set.kinds.isEmpty)
        #expect(try Scan([]).texts("jane@shop.test").isEmpty)
    }

    @Test("reports an unknown name and suggests a known one")
    func unknown() {
        let problems = Self.problems(["jwt", "emial", "phone", "nothing like it"])
        #expect(
            problems.map(\.message) == [
                "unknown detector 'emial'; expected the name of a detector or of a group",
                "unknown detector 'phone'; expected the name of a detector or of a group",
                "unknown detector 'nothing like it'; expected the name of a detector or of a group",
            ]
        )
        #expect(problems.first?.help == "did you mean 'email'?")
        #expect(problems[1].help == "similar names: phone_number")
        #expect(
            problems.last?.help
                == "the groups are cloud, code, ai, services, messaging, payment, monitoring, "
                + "credentials, personal"
        )
    }

    @Test("skips allowed values and globs")
    func allowed() throws {
        let scan = try Scan(["email"], allowed: ["a@shop.test", "*@free.test", "b@*.test"])
        #expect(
            scan.texts("a@shop.test aa@shop.test x@free.test b@c.d.test b@c.d.tests A@shop.test")
                == ["aa@shop.test", "b@c.d.tests", "A@shop.test"]
        )
    }
}

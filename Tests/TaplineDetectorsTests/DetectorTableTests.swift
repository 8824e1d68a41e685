// SPDX-License-Identifier: MIT

import TaplineDetectors
import TaplinePlugin
import Testing

@Suite("The table of detectors")
struct DetectorTableTests {
    private static let shapes: Set = [
        "private_key", "jwt", "bearer_token", "basic_credentials", "connection_string",
        "url_password", "email", "phone_number", "ip_address", "card_number", "iban",
    ]

    @Test("has a sample for each detector, and unique names")
    func complete() throws {
        let detectors = try #require(PluginRegistry.detectors.detectors).detectors
        let names = detectors.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(Samples.all().map(\.detector)).union(Self.shapes))
        #expect(names.count >= 100)
        #expect(detectors.filter { !$0.isStandard }.map(\.name) == ["phone_number", "ip_address"])
        let groups = Set(detectors.map(\.group))
        #expect(groups.isDisjoint(with: names))
    }

    @Test("finds each sample, alone and in any surroundings", arguments: Samples.all())
    func positives(sample: (detector: String, before: String, secret: String)) throws {
        let expected = [Scan.Finding(kind: sample.detector, text: sample.secret)]
        let alone = try Scan([sample.detector])
        let all = try Scan()
        let text = sample.before + sample.secret
        #expect(alone(text) == expected)
        #expect(all(text) == expected)
        for (before, after) in [
            ("{\"a\":[1,", ",\"b\"]}"), ("line\n", "\nline"), ("a=1&b=", "&c=2"), ("<p>", "</p>"),
            ("\"text\\n", "\\n\""), ("café ", " café"), ("\0", "\0"), ("'", "'"),
        ] {
            #expect(all(before + text + after) == expected, "\(before)…\(after)")
        }
    }

    @Test("ignores truncated samples and parts of longer words", arguments: Samples.all())
    func nearMisses(sample: (detector: String, before: String, secret: String)) throws {
        let scan = try Scan([sample.detector])
        let half = min(sample.secret.count / 2, 18)
        let broken = sample.secret.prefix(half) + "|" + sample.secret.dropFirst(half + 1)
        #expect(scan(sample.before + broken).isEmpty)
        guard sample.before.isEmpty else { return }
        for (before, after) in [("Zz", ""), ("_", ""), ("Zz", "zZ_zZ_zZ_")] {
            #expect(scan(before + sample.secret + after).isEmpty)
        }
    }

    @Test("finds all samples in one text, in order")
    func together() throws {
        let samples = Samples.all()
        let text = samples.map { $0.before + $0.secret }.joined(separator: " ; \n")
        let found = try Scan()(text)
        #expect(found.map(\.text) == samples.map(\.secret))
        #expect(found.map(\.kind) == samples.map(\.detector))
    }
}

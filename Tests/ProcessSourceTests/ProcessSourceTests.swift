// SPDX-License-Identifier: MIT

import ProcessSource
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing
import TestSupport

@Suite("Programs as sources")
struct ProcessSourceTests {
    private static let folder = "\(TestFiles.repository)/Examples/plugins/python"

    private static func command(_ script: String, _ more: String = "") -> String {
        "command: [/usr/bin/python3, '\(folder)/\(script)'\(more)]"
    }

    @Test("a source in Python hands over records until it ends")
    func source() async throws {
        let found = try await PluginHarness.records(
            from: .process,
            options:
                "{ \(Self.command("access_log.py", ", '\(Self.folder)/access.log', shop.test")) }"
        )
        #expect(found.map { $0.response?.status } == [200, 303, 200])
        #expect(found.allSatisfy { $0.source == "subject" })
        #expect(Set(found.map(\.id)).count == 3)
    }

    @Test("a program that fails again and again, or at once, ends the run")
    func failing() async {
        for script in ["exit 2", "read line; echo no"] {
            await #expect(throws: PluginHarnessError.self) {
                _ = try await PluginHarness.records(
                    from: .process,
                    options: "{ command: [/bin/sh, -c, '\(script)'], restart: { max: 1 } }"
                )
            }
        }
    }
}

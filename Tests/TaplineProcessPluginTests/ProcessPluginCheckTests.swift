// SPDX-License-Identifier: MIT

import TaplineProcessPlugin
import TestSupport
import Testing

@Suite("The check of a program")
struct ProcessPluginCheckTests {
    private static let folder = "\(TestFiles.repository)/Examples/plugins/python"

    @Test("every example passes the check for authors")
    func examples() throws {
        let folder = try TemporaryFolder()
        for words in [
            ["tag_slow.py"], ["canary.py"], ["count_hosts.py", folder("hosts.json")],
            ["access_log.py", "\(Self.folder)/access.log", "shop.test"],
        ] {
            let settings = ProcessSettings(
                ["/usr/bin/python3", "\(Self.folder)/\(words[0])"] + words.dropFirst(),
                environment: ["PATH": "/usr/bin:/bin"]
            )
            let results = ProcessPluginCheck(settings).run(nil)
            #expect(results.count >= 4)
            for result in results { #expect(result.problem == nil, "\(words[0]): \(result.name)") }
        }
    }

    @Test(
        "a hello without kinds fails the check, as that of a program that echoes",
        arguments: [nil, ProcessRole.stage]
    )
    func missingKinds(role: ProcessRole?) {
        let hello = """
            read line; echo '{"tapline":"hello","protocol":1}'
            while read line; do echo '{"n":1,"keep":true}'; done
            """
        for words in [["/bin/cat"], ["/bin/sh", "-c", hello]] {
            let results = ProcessPluginCheck(ProcessSettings(words, timeout: 20_000)).run(role)
            #expect(results.count == 1)
            #expect(results.first?.problem?.contains("'kinds'") == true, "\(words)")
        }
    }

    @Test("the check finds a program that forgets answers")
    func failingCheck() {
        let script = """
            read line; echo '{"tapline":"hello","protocol":1,"kinds":["stage"]}'
            echo chatter; while read line; do :; done
            """
        let settings = ProcessSettings(["/bin/sh", "-c", script], timeout: 20_000)
        let results = ProcessPluginCheck(settings).run(.stage)
        #expect(results.contains { $0.name.contains("a usual record") && $0.problem != nil })
    }
}

// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("A source that answers from a recording meets the requirements for sources")
struct AnsweringConformanceTests {
    @Test("whether or not a recording answers", arguments: [true, false])
    func conforms(answers: Bool) async throws {
        let secrets = PlantedSecrets()
        func word(_ part: String) -> String {
            secrets.words.first { $0.part == part }?.word ?? ""
        }
        let count = 40
        let lines = (1...count).map { number in
            let path = answers ? word("path") : "other"
            return #"{"v":1,"state":"completed","started":"2026-11-20T14:03:00Z","request":{"#
                + #""method":"POST","url":"http://a.test/\#(path)/\#(number)?token=\#(word("query"))"#
                + #""},"response":{"status":200,"reason":"OK \#(word("reason"))","headers":"#
                + #"[["Set-Cookie","sid=\#(word("response cookie"))"]],"#
                + #""body":{"text":"the body is \#(word("response body"))"}}}"# + "\n"
        }
        let folder = try TemporaryFolder(["rec.ndjson": lines.joined()])
        defer { withExtendedLifetime(folder) {} }
        let arguments = [
            "-sS", "-m", "60", "-o", "/dev/null", "-H", "X-Note: \(word("request header"))", "-d",
            "password=\(word("request body"))", "-b", "sid=\(word("request cookie"))", "-u",
            "me:\(word("user-info"))",
        ]
        let target = "/\(word("path"))/[1-\(count)]?token=\(word("query"))"
        let traffic = LiveTraffic { _, point in
            let address = try #require(await point().addresses.first)
            _ = try await command("curl", arguments + ["http://\(address)\(target)"])
        }
        let violations = await Conformance.violations(
            of: SourcePlugin.serverReplay,
            options: "{ listen: '127.0.0.1:0', ca: ca, path: '\(folder("rec.ndjson"))' }",
            settings: ConformanceSettings(
                failing: [
                    "{ listen: '127.0.0.1:0', path: '\(folder("rec.ndjson"))', filter: status == 1 }"
                ]
            ),
            count: count,
            traffic: traffic
        )
        #expect(violations == [])
    }
}

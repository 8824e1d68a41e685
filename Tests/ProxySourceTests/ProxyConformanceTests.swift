// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("The proxy meets the requirements for sources")
struct ProxyConformanceTests {
    @Test("with any options", arguments: ["threads: 1", "threads: 3", "intercept: true"])
    func conforms(options: String) async throws {
        let secrets = PlantedSecrets()
        func word(_ part: String) -> String {
            secrets.words.first { $0.part == part }?.word ?? ""
        }
        let origin = try PythonServer(
            "secret_server",
            arguments: [word("response body"), word("reason"), word("response cookie")]
        )
        let count = 40
        let arguments = [
            "-sS", "-m", "60", "-o", "/dev/null", "-H", "X-Note: \(word("request header"))", "-d",
            "password=\(word("request body"))", "-b", "sid=\(word("request cookie"))", "-u",
            "me:\(word("user-info"))",
            "\(origin.url)/\(word("path"))/[1-\(count)]?token=\(word("query"))",
        ]
        let traffic = LiveTraffic { _, point in
            let address = try #require(await point().addresses.first)
            _ = try await command("curl", ["-x", "http://\(address)"] + arguments)
        }
        // If the port is in use, the error says so, without any traffic.
        let busy = origin.url.replacing("http://", with: "")
        let violations = await Conformance.violations(
            of: SourcePlugin.proxy,
            options: "{ listen: '127.0.0.1:0', ca: ca, \(options) }",
            settings: ConformanceSettings(failing: ["{ listen: '\(busy)' }"]),
            count: count,
            traffic: traffic
        )
        #expect(violations == [])
    }
}

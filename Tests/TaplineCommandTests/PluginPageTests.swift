// SPDX-License-Identifier: MIT

import Foundation
import TaplineProxy
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// Runs the pipelines shown on plugin pages, on a recording that contains what they look for.
@Suite("The pipelines on the pages of plugins") struct PluginPageTests {
    private let home: TemporaryFolder
    private var folder: String { home.path }

    init() throws {
        home = try TemporaryFolder()
        try FileSystem.makeFolder("\(folder)/recordings")
        try write(Self.recording, "recordings/shop.har")
    }

    /// One exchange of a phone with a slow response, and one of another phone whose response has a
    /// request id.
    private static let recording = """
        {"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[
         {"startedDateTime":"2026-11-20T14:00:00Z","time":1500,"cache":{},"timings":{"send":0,"wait":1500,"receive":0},
          "request":{"method":"GET","url":"http://shop.test/users/42","httpVersion":"HTTP/1.1","cookies":[],
           "headers":[{"name":"X-Conversation-ID","value":"cGhvbmUtNy5zMS54"}],"queryString":[],"headersSize":-1,"bodySize":0},
          "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
           "content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":0}},
         {"startedDateTime":"2026-11-20T14:00:01Z","time":20,"cache":{},"timings":{"send":0,"wait":20,"receive":0},
          "request":{"method":"GET","url":"http://shop.test/users/43","httpVersion":"HTTP/1.1","cookies":[],
           "headers":[{"name":"X-Conversation-ID","value":"cGhvbmUtOC5zMi54"}],"queryString":[],"headersSize":-1,"bodySize":0},
          "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
           "content":{"size":28,"mimeType":"application/json","text":"{\\"meta\\":{\\"request_id\\":\\"r\\"}}"},
           "redirectURL":"","headersSize":-1,"bodySize":28}}]}}
        """

    private func write(_ text: String, _ name: String) throws {
        try File("\(folder)/\(name)", for: .replace).write(Array(text.utf8).span)
    }

    private func lines(_ name: String) throws -> [[String: Any]] {
        try TestFiles.text(of: "\(folder)/\(name)").split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    /// Runs the first pipeline of a page.
    private func run(_ page: String, sources: String = "") async throws {
        let block = try #require(try ReadmeTests.blocks("yaml", of: page).first)
        try write("version: 1\n\(sources)\(block)", "pipeline.yaml")
        let outcome = await tapline("run", "\(folder)/pipeline.yaml")
        #expect(outcome.code == .success, "\(outcome.errors)")
    }

    /// Returns what a shell command prints in the folder.
    private func shell(_ command: String, _ words: String...) throws -> String {
        let report = try ChildProcess.run(
            ["/bin/sh", "-c", "cd \"$0\" && \(command)", folder] + words,
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(report.isSuccess)
        return report.text
    }

    @Test func correlate() async throws {
        defer { try? FileSystem.removeFolder(folder) }
        let page = "Plugins/Stages/Correlate/README.md"
        try await run(page)
        let found = try #require(try lines("of-one-device.ndjson").first)
        #expect(try lines("of-one-device.ndjson").count == 1)
        #expect(
            found["tags"] as? [String: String] == [
                "conversation": "cGhvbmUtNy5zMS54", "conversation.device": "phone-7",
                "conversation.session": "s1",
            ]
        )
        #expect(
            try shell(
                "sqlite3 traffic.db 'SELECT correlation FROM exchanges WHERE correlation != \"\"'"
            )
                == "r\n"
        )
    }

    @Test func rules() async throws {
        defer { try? FileSystem.removeFolder(folder) }
        let blocks = try ReadmeTests.blocks("yaml", of: "Plugins/Stages/Rules/README.md")
        try write(try #require(blocks.first), "pipeline.yaml")
        try write(try #require(blocks.dropFirst().first), "rules.yaml")
        let good = await tapline(
            "check",
            "\(folder)/pipeline.yaml",
            plugins: .proxy,
            environment: ["XDG_DATA_HOME": folder]
        )
        #expect(good.code == .success, "\(good.errors)")
        try write("version: 1\nrules: [{ action: [stop] }]\n", "rules.yaml")
        let bad = await tapline(
            "check",
            "\(folder)/pipeline.yaml",
            plugins: .proxy,
            environment: ["XDG_DATA_HOME": folder]
        )
        #expect(bad.code == .configuration)
        #expect(bad.errors.contains("rules.yaml:2:11: error: unknown option 'action'"))
        #expect(bad.errors.contains("help: did you mean 'actions'?"))
    }

    @Test func summary() async throws {
        defer { try? FileSystem.removeFolder(folder) }
        let page = "Plugins/Sinks/Summary/README.md"
        try await run(page, sources: "sources: [{ replay: { path: recordings/shop.har } }]\n")
        let all = try lines("api-traffic.ndjson")
        #expect(all.map { $0["path"] as? String } == ["/users/{id}"])
        #expect(all.first?["requests"] as? Int == 2)
        #expect(try lines("slow.ndjson").map { $0["requests"] as? Int } == [1])
        // The line on the page has the same keys, and the page's command can read the output.
        let shown = try #require(try ReadmeTests.blocks("json", of: page).first)
        let line = try JSONSerialization.jsonObject(with: Data(shown.utf8))
        let keys = try #require(line as? [String: Any]).keys
        #expect(keys.sorted() == all.first?.keys.sorted())
        let command = try #require(try ReadmeTests.blocks("sh", of: page).first)
        let answer = try shell(command).filter { !$0.isWhitespace }
        #expect(answer.hasPrefix("[\"shop.test/users/{id}\",2,"))
    }
}

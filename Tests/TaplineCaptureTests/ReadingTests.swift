// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineFiles
import TaplineModel
import TestServers
import Testing

@testable import TaplineCapture

/// What an app can read of what was captured.
@Suite struct ReadingTests {
    private let origin: Origin
    private let tap = Tap()
    private let session: URLSession

    init() throws {
        origin = try Origin()
        try tap.start()
        session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
    }

    /// The entry of a request whose answer is what it sends.
    private func echo(
        _ body: [UInt8],
        type: String?,
        method: String = "POST",
        path: String = "/echo"
    ) async throws -> Entry {
        var request = URLRequest(url: origin.path(path))
        request.httpMethod = method
        request.httpBody = Data(body)
        if let type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        _ = try await session.data(for: request)
        tap.stop()
        return try #require(tap.entries.first)
    }

    /// What a shell prints when it runs a command, which may be longer than an argument.
    private func shell(_ command: String) throws -> [UInt8] {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = "\(folder)/command"
        try "exec 2>/dev/null\n\(command)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let report = try ChildProcess.run(
            ["/bin/sh", file],
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"],
            maxBytes: 1 << 20
        )
        #expect(report.isSuccess)
        return report.output
    }

    @Test func anEntryHasFieldsBodiesAndTimes() async throws {
        let entry = try await echo(Array(#"{"a":[1,2]}"#.utf8), type: "application/json")
        #expect(entry.requestHeaders == [.init(name: "Content-Type", value: "application/json")])
        #expect(entry.responseHeaders.contains(.init(name: "Content-Length", value: "11")))
        #expect(entry.requestBody == Data(#"{"a":[1,2]}"#.utf8))
        #expect(entry.responseBody == Data(#"{"a":[1,2]}"#.utf8))
        #expect(entry.prettyPrintedRequestBody == "{\n  \"a\": [\n    1,\n    2\n  ]\n}")
        #expect(entry.prettyPrintedResponseBody == entry.prettyPrintedRequestBody)
        #expect(entry.error == nil)
        let ended = try #require(entry.endTime)
        #expect(ended > entry.startTime && abs(entry.startTime.timeIntervalSinceNow) < 600)
    }

    @Test func anEntryWithoutResponseSaysWhy() async throws {
        await #expect(throws: URLError.self) {
            _ = try await session.data(from: #require(URL(string: "http://127.0.0.1:1/x")))
        }
        tap.stop()
        let entry = try #require(tap.entries.first)
        #expect(entry.error?.code == "connect_refused")
        #expect(entry.responseHeaders.isEmpty && entry.responseBody == nil)
        #expect(entry.prettyPrintedResponseBody == nil)
        #expect(entry.copyText.hasPrefix("GET http://127.0.0.1:1/x connect_refused "))
        #expect(entry.exportText.contains("\nerror connect_refused: "))
    }

    @Test func textsHoldAllOrALine() async throws {
        let entry = try await echo([0, 1, 2, 0xFF], type: "image/png")
        #expect(entry.prettyPrintedResponseBody == "(4 bytes of image/png)")
        let line = try #require(entry.copyText.wholeMatch(of: /POST (\S+) 200 \d+ms|.*s/))
        #expect(line.1.map(String.init) ?? entry.url == origin.path("/echo").absoluteString)
        let lines = entry.exportText.split(separator: "\n").map(String.init)
        #expect(lines.first == "POST \(entry.url)")
        #expect(lines.contains("status 200"))
        #expect(lines.filter { $0 == "Content-Type: image/png" }.count == 2)
        #expect(lines.filter { $0 == "(4 bytes of image/png)" }.count == 2)
    }

    @Test func anEntryIsAHARFile() async throws {
        let entry = try await echo(Array("hello".utf8), type: "text/plain")
        let har = try JSONSerialization.jsonObject(with: Data(try #require(entry.har).utf8))
        let log = try #require((har as? [String: Any])?["log"] as? [String: Any])
        let entries = try #require(log["entries"] as? [[String: Any]])
        let request = try #require(entries.first?["request"] as? [String: Any])
        #expect(entries.count == 1)
        #expect(request["url"] as? String == entry.url)
        #expect((request["postData"] as? [String: Any])?["text"] as? String == "hello")
    }

    private static let bodies: [String: [UInt8]] = [
        "plain": Array("plain".utf8),
        "special": Array("it's \"quoted\" $HOME `id` \\n !! %s\nsecond line\t".utf8),
        "at": Array("@/etc/passwd".utf8),
        "other letters": Array("ünï 日本".utf8),
        "every byte": Array(0...255),
        "digits behind octal": Array("100% '\\ \u{7}".utf8) + [0, 0x37],
        "long": Array(repeating: UInt8(ascii: "x"), count: 300_000),
        "none": [],
    ]

    @Test(arguments: bodies.keys.sorted())
    func aShellSendsTheSameBodyOnceMore(_ name: String) async throws {
        let body = try #require(Self.bodies[name])
        let entry = try await echo(body, type: "x/y", method: "PUT")
        let again = try shell(try #require(entry.curl))
        let isSame = again == body
        #expect(isSame, "\(again.count) bytes")
    }

    @Test func aShellSendsTheSameFieldsOnceMore() async throws {
        var request = URLRequest(url: origin.path("/fields?q=it's&list=[1,2]%20{x}&d=$HOME"))
        request.setValue("it's \"$HOME\" `id`", forHTTPHeaderField: "X-Quoted")
        request.setValue("mine/1", forHTTPHeaderField: "User-Agent")
        _ = try await session.data(for: request)
        tap.stop()
        let entry = try #require(tap.entries.first)
        let first = String(decoding: try #require(entry.responseBody), as: UTF8.self)
        let second = String(decoding: try shell(try #require(entry.curl)), as: UTF8.self)
        for field in ["X-Quoted: it's \"$HOME\" `id`", "User-Agent: mine/1", "Accept: */*"] {
            #expect(first.contains(field) && second.contains(field))
        }
        #expect(!second.contains("Content-Type"))
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func aShellUsesTheSameMethod(_ method: String) async throws {
        var request = URLRequest(url: origin.path("/fields"))
        request.httpMethod = method
        let body = Data("b".utf8)
        if method != "GET", method != "HEAD" { request.httpBody = body }
        let (fields, _) = try await session.data(for: request)
        tap.stop()
        let command = try #require(tap.entries.first?.curl)
        let again = try shell(command)
        if method == "HEAD" {
            #expect(String(decoding: again, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            return
        }
        /// The fields that a client of libcurl adds by itself are the same.
        func names(_ text: some Collection<UInt8>) -> Set<String> {
            let lines = String(decoding: Array(text), as: UTF8.self).split(separator: "\n")
            let names = Set(lines.compactMap { $0.split(separator: ":").first.map(String.init) })
            return names.subtracting(["Connection", "Accept-Language"])
        }
        #expect(names(again) == names(fields))
    }

    @Test func whatIsNotKeptWholeHasNoCommand() async throws {
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("unseen".utf8))
        _ = try await session.data(for: request)
        tap.stop()
        let entry = try #require(tap.entries.first)
        #expect(entry.curl == nil && entry.requestBody == nil)
        #expect(entry.exportText.contains("\n(the body is not kept)\n"))
    }

    @Test func entriesAreChosenByAFilter() async throws {
        for path in ["/hello", "/status/503", "/status/404"] {
            _ = try await session.data(from: origin.path(path))
        }
        tap.stop()
        #expect(try tap.entries(where: "status >= 500").map(\.statusCode) == [503])
        #expect(try tap.entries(where: "status >= 400").map(\.statusCode) == [404, 503])
        let error = #expect(throws: EntryFilterError.self) {
            try tap.entries(where: "statuss >= 500")
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("filter:1:1: error: unknown field 'statuss'"))
        #expect(text.contains("^~~~~~~") && text.contains("help: did you mean 'status'?"))
    }
}

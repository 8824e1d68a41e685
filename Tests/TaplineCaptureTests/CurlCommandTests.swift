// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// The requests that a shell sends when it runs the command of an entry.
@Suite struct CurlCommandTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Sends a request and returns its entry.
    private func captured(_ request: URLRequest) async throws -> Entry {
        let tap = Tap()
        try tap.start()
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        _ = try await session.data(for: request)
        tap.stop()
        return try #require(tap.entries.first)
    }

    /// Returns the output of a shell that runs a command, which may be longer than an argument.
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

    private static let bodies: [String: [UInt8]] = [
        "plain": Array("plain".utf8),
        "special": Array("it's \"quoted\" $HOME `id` \\n !! %s\nsecond line\t".utf8),
        "at": Array("@/etc/passwd".utf8),
        "other letters": Array("ünï 日本".utf8),
        "every byte": Array(0...255),
        "digits after octal": Array("100% '\\ \u{7}".utf8) + [0, 0x37],
        "long": Array(repeating: UInt8(ascii: "x"), count: 300_000),
        "none": [],
    ]

    @Test(arguments: bodies.keys.sorted())
    func aShellSendsTheSameBodyAgain(_ name: String) async throws {
        let body = try #require(Self.bodies[name])
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        request.httpBody = Data(body)
        request.setValue("x/y", forHTTPHeaderField: "Content-Type")
        let entry = try await captured(request)
        let again = try shell(try #require(entry.curl))
        let isSame = again == body
        #expect(isSame, "\(again.count) bytes")
    }

    @Test func aShellSendsTheSameFieldsAgain() async throws {
        var request = URLRequest(url: origin.path("/fields?q=it's&list=[1,2]%20{x}&d=$HOME"))
        request.setValue("it's \"$HOME\" `id`", forHTTPHeaderField: "X-Quoted")
        request.setValue("mine/1", forHTTPHeaderField: "User-Agent")
        let entry = try await captured(request)
        let first = String(decoding: try #require(entry.responseBody), as: UTF8.self)
        let second = String(decoding: try shell(try #require(entry.curl)), as: UTF8.self)
        for field in ["X-Quoted: it's \"$HOME\" `id`", "User-Agent: mine/1", "Accept: */*"] {
            #expect(first.contains(field) && second.contains(field))
        }
        #expect(!second.contains("Content-Type"))
    }

    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PURGE", "get",
    ]

    /// Returns the request as the server reports it: method, length, type and body, one field each.
    private func sent(_ answer: [UInt8]) -> [String: String] {
        let lines = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline)
        let pairs = lines.filter { $0.hasPrefix("X-Sent-") }.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (String(parts[0].dropFirst(7)), String(parts.dropFirst().first ?? ""))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test(arguments: methods, ["", "b", "\u{0}"])
    func aShellSendsTheSameMethodAndBody(_ method: String, _ body: String) throws {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 1),
            started: Timestamp(microseconds: 0)
        )
        exchange.request.method = ByteString(method)
        exchange.request.setURL(origin.path("/sent").absoluteString.utf8.span)
        exchange.request.body = Body(Array(body.utf8))
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            Issue.record("no record")
            return
        }
        let command = try #require(Entry(record).curl)
        let answer = try shell(command.replacing("curl ", with: "curl --include "))
        let saysLength = !body.isEmpty || (method != "GET" && method != "HEAD")
        let expected = [
            "Method": method, "Length": saysLength ? "\(body.utf8.count)" : "none",
            "Type": method == "POST" && !body.isEmpty
                ? "application/x-www-form-urlencoded" : "none",
            "Body": body.utf8.map { "\($0);" }.joined(),
        ]
        #expect(sent(answer) == expected)
    }

    /// The command sends the same as Foundation, which adds lengths and types itself.
    @Test(arguments: methods, ["", "b"])
    func aShellSendsTheSameRequestAsFoundation(_ method: String, _ body: String) async throws {
        var request = URLRequest(url: origin.path("/sent"))
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = Data(body.utf8) }
        // Foundation does not send a body with these methods.
        if !body.isEmpty, ["GET", "HEAD", "get"].contains(method) { return }
        let entry = try await captured(request)
        let answer = try shell(
            try #require(entry.curl).replacing("curl ", with: "curl --include ")
        )
        let reported = entry.responseHeaders.filter { $0.name.hasPrefix("X-Sent-") }
        let first = reported.map { ($0.name.dropFirst(7).description, $0.value) }
        #expect(sent(answer) == Dictionary(uniqueKeysWithValues: first))
        #expect(first.count == 4)
    }
}

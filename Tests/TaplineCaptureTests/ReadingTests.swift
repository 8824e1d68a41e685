// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// What an app can read from captured exchanges.
@Suite struct ReadingTests {
    private let origin: Origin
    private let tap = Tap()
    private let session: URLSession

    init() throws {
        origin = try Origin()
        try tap.start()
        session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
    }

    /// Sends a request whose response is its body, and returns the entry.
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

    @Test func textsShowEverythingOrOneLine() async throws {
        let entry = try await echo([0, 1, 2, 0xFF], type: "image/png")
        #expect(entry.prettyPrintedResponseBody == "(4 bytes of image/png)")
        let line = try #require(
            entry.copyText.wholeMatch(of: /POST (\S+) 200 (?:\d+ms|\d+\.\d\ds)/)
        )
        #expect(line.1 == origin.path("/echo").absoluteString)
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

    @Test func aTruncatedRequestHasNoCommand() async throws {
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("unseen".utf8))
        _ = try await session.data(for: request)
        tap.stop()
        let entry = try #require(tap.entries.first)
        #expect(entry.curl == nil && entry.requestBody == nil)
        #expect(entry.exportText.contains("\n(the body is not stored)\n"))
    }

    @Test func entriesAreSelectedByAFilter() async throws {
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

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// The accuracy of the estimated bytes, compared with those that a server counts.
@Suite struct ByteEstimateTests {
    /// The largest error of the estimate for a request's fields, in bytes: the app does not know
    /// the version of libcurl and the language.
    private static let bound = 16

    private let server: CountingServer
    private let tap = Tap()

    init() throws {
        server = try CountingServer()
        try tap.start()
    }

    /// Returns the estimate for the last exchange, and the bytes that the server has counted.
    private func both() async throws -> (estimated: ByteCounts, counted: ByteCounts) {
        tap.stop()
        let exchange = try #require(tap.entries.first?.exchange)
        return (try #require(exchange.bytes), try await server.counts())
    }

    private func check(_ estimated: ByteCounts.Direction, _ counted: ByteCounts.Direction) {
        #expect(estimated.line == counted.line)
        #expect(abs(estimated.headers - counted.headers) <= Self.bound)
        #expect(estimated.body == counted.body)
    }

    private static let requests: [String: @Sendable (inout URLRequest) -> Void] = [
        "GET": { _ in },
        "HEAD": { $0.httpMethod = "HEAD" },
        "POST of a form": {
            $0.httpMethod = "POST"
            $0.httpBody = Data("a=1&b=2".utf8)
        },
        "POST of nothing": { $0.httpMethod = "POST" },
        "POST of a type": {
            $0.httpMethod = "POST"
            $0.httpBody = Data(count: 100_000)
            $0.setValue("a/b", forHTTPHeaderField: "Content-Type")
        },
        "PUT": {
            $0.httpMethod = "PUT"
            $0.httpBody = Data("body".utf8)
        },
        "DELETE": { $0.httpMethod = "DELETE" },
        "all fields set": {
            let fields = [
                "Accept": "text/x", "User-Agent": "mine", "Accept-Encoding": "gzip",
                "Accept-Language": "de", "X-Empty": "", "X-Other": "value",
            ]
            for (name, value) in fields { $0.setValue(value, forHTTPHeaderField: name) }
        },
    ]

    @Test(arguments: requests.keys.sorted(), [true, false])
    func requestEstimatesAreCloseToTheCountedBytes(_ name: String, isTapped: Bool) async throws {
        var request = URLRequest(url: server.path("/plain?q=a%20b"))
        let change = try #require(Self.requests[name])
        change(&request)
        if isTapped {
            let session = URLSession(configuration: .ephemeral.tapped(by: tap))
            _ = try await session.data(for: request)
        } else {
            _ = try await TapSession(configuration: .ephemeral, tap: tap).data(for: request)
        }
        let (estimated, counted) = try await both()
        check(estimated.up, counted.up)
        check(estimated.down, counted.down)
        #expect(!estimated.isExact)
    }

    @Test(arguments: ["/plain", "/gzip", "/chunks", "/missing", "/none", "/cookie"])
    func responseEstimatesAreCloseToTheCountedBytes(_ path: String) async throws {
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        _ = try await session.data(from: server.path(path))
        let (estimated, counted) = try await both()
        check(estimated.down, counted.down)
    }

    /// Foundation reports neither the length nor the encoding, so the body is compressed with gzip
    /// again.
    @Test func anEncodedBodyOfUnknownLengthIsEncodedAgain() async throws {
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        let (data, _) = try await session.data(from: server.path("/gzip-chunks"))
        let (estimated, counted) = try await both()
        #expect(data.count == 4600 && counted.down.body < 120)
        #expect(abs(estimated.down.body - counted.down.body) <= 20)
        // An estimate is not recorded as a size.
        let body = tap.entries.first?.exchange?.response?.body
        #expect(body?.size == nil && body?.decodedSize == 4600)
    }

    @Test func aStreamCountsAsOneChunk() async throws {
        var request = URLRequest(url: server.path("/plain"))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("a=1&b=2".utf8))
        _ = try await TapSession(configuration: .ephemeral, tap: tap).data(for: request)
        let (estimated, counted) = try await both()
        check(estimated.up, counted.up)
    }

    @Test func cookiesAreCounted() async throws {
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        _ = try await session.data(from: server.path("/cookie"))
        _ = try await session.data(from: server.path("/plain"))
        let fields = try await both()
        check(fields.estimated.up, fields.counted.up)
    }

    @Test func requestsThatWereNotSentAreNotCounted() async throws {
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        await #expect(throws: URLError.self) {
            _ = try await session.data(from: #require(URL(string: "http://127.0.0.1:1/")))
        }
        tap.stop()
        #expect(tap.entries.first?.exchange?.bytes == ByteCounts())
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// What a tap captures of sessions that ask for it.
@Suite struct TapTests {
    private let origin: Origin
    private let tap = Tap()
    private let session: URLSession

    init() throws {
        origin = try Origin()
        try tap.start()
        session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
    }

    /// Stops the tap and returns its entries, oldest first.
    private func stopped() -> [Entry] {
        tap.stop()
        return tap.entries.reversed()
    }

    @Test func aRequestAndItsResponseAreRecorded() async throws {
        var request = URLRequest(url: origin.path("/echo?a=1&b=%20x"))
        request.httpMethod = "POST"
        request.httpBody = Data("a body".utf8)
        request.setValue("text/x-test", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "a body")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)

        let entry = try #require(stopped().first)
        #expect(entry.state == .success)
        #expect(entry.method == "POST")
        #expect(entry.url == origin.path("/echo?a=1&b=%20x").absoluteString)
        #expect(entry.statusCode == 200)
        let exchange = try #require(entry.exchange)
        #expect(exchange.source == "url_protocol")
        #expect(exchange.request.target == "/echo?a=1&b=%20x")
        #expect(exchange.request.fields.first("Content-Type") == "text/x-test")
        #expect(exchange.request.body == Body(Array("a body".utf8)))
        #expect(exchange.response?.fields.first("Content-Type") == "text/x-test")
        #expect(exchange.response?.body == Body(Array("a body".utf8)))
        #expect(entry.duration ?? .zero > .zero)
    }

    @Test func aFailureIsRecordedWithItsCode() async throws {
        await #expect(throws: URLError.self) {
            _ = try await session.data(from: #require(URL(string: "http://127.0.0.1:1/")))
        }
        await #expect(throws: URLError.self) {
            _ = try await session.data(from: origin.path("/broken"))
        }
        let entries = stopped()
        #expect(entries.map(\.state) == [.failed, .failed])
        #expect(entries.first?.exchange?.error?.code == "connect_refused")
        #expect(entries.first?.statusCode == nil)
        #expect(entries.last?.exchange?.error?.code == "failed")
    }

    @Test func eachKindOfFailureHasItsCode() async throws {
        let server = try DifferenceServer.shared.get()
        let cases: [(url: URL, code: String)] = [
            (try #require(URL(string: "http://nowhere.invalid/")), "dns"),
            (origin.path("/slow"), "timeout"),
            (server.path("/codes/loop"), "too_many_redirects"),
        ]
        for (url, _) in cases {
            var request = URLRequest(url: url)
            request.timeoutInterval = 1
            await #expect(throws: URLError.self) { try await session.data(for: request) }
        }
        let entries = stopped()
        let failed = entries.filter { $0.state == .failed }
        #expect(failed.map { $0.exchange?.error?.code } == cases.map(\.code))
        // The redirections before the last one, which Foundation follows without showing them.
        #expect(entries.count == 4)
        #expect(entries[2].exchange?.tags["redirect_hidden"] == "20")
    }

    /// Requests that the app answers itself never reach the network, captured or not.
    @Test func aProtocolOfTheAppAnswersAsBefore() async throws {
        let configuration = FactProtocol.configuration.tapped(by: tap)
        let own = TapSession(configuration: FactProtocol.configuration, tap: tap)
        let sessions = [URLSession(configuration: configuration), own.session]
        for session in sessions {
            let url = try FactProtocol.url("own")
            let (data, _) = try await session.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect(FactProtocol.requests(of: url).count == 1)
            // For all other requests Foundation uses its own class, although the configuration has
            // none.
            let (other, _) = try await session.data(from: origin.path("/status/200"))
            #expect(String(decoding: other, as: UTF8.self) == "status")
        }
        let entries = stopped()
        #expect(entries.map(\.state) == Array(repeating: .success, count: 4))
        #expect(entries.first?.exchange?.response?.body == Body(Array("hello".utf8)))
    }

    /// The shared session uses the classes that were registered before its first use.
    ///
    /// Creating a tap is a use, so this test runs in a separate process. Classes are asked in the
    /// order of their registration.
    @Test func aRegisteredProtocolAnswersAsBefore() async throws {
        let origin = try Origin()
        await #expect(processExitsWith: .success) { [url = origin.path("/hello") as URL] in
            _ = URLProtocol.registerClass(FactProtocol.self)
            try Tapline.start()
            let own = try await URLSession.shared.data(from: try FactProtocol.url("own")).0
            let other = try await URLSession.shared.data(from: url).0
            Tapline.stop()
            exit(own == Data("hello".utf8) && own == other && Tapline.entries.count == 1 ? 0 : 1)
        }
    }

    /// In its own process, because the taps of other tests count as well.
    @Test(.timeLimit(.minutes(2)))
    func aProcessHasALimitedNumberOfTaps() async throws {
        let origin = try Origin()
        await #expect(processExitsWith: .success) { [url = origin.path("/hello") as URL] in
            var taps = (0..<TapProtocols.all.count).map { _ in Tap() }
            for tap in taps { try tap.start() }
            let session = URLSession(configuration: .ephemeral.tapped(by: taps.last))
            _ = try await session.data(from: url)
            #expect(taps.map(\.store.entries.count).reduce(0, +) <= 1)

            let surplus = Tap()
            let error = #expect(throws: TapError.self) { try surplus.start() }
            #expect("\(error as Any)".contains("64 taps were in use"))
            // Its sessions work, and nothing is captured.
            let uncaptured = URLSession(configuration: .ephemeral.tapped(by: surplus))
            #expect(try await uncaptured.data(from: url).0 == Data("hello".utf8))

            taps.removeFirst().stop()
            let next = Tap()
            try next.start()
            let again = URLSession(configuration: .ephemeral.tapped(by: next))
            _ = try await again.data(from: url)
            next.stop()
            for tap in taps { tap.stop() }
            #expect(next.entries.count == 1)
            #expect(taps.map(\.entries.count) == taps.indices.map { $0 == taps.count - 1 ? 1 : 0 })
        }
    }

    @Test func aCancelledRequestIsRecordedAsCancelled() async throws {
        let task = Task { try await session.data(from: origin.path("/slow")) }
        await wait(for: "the request to be recorded") { !tap.entries.isEmpty }
        #expect(tap.entries.first?.state == .loading)
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        let entries = stopped()
        #expect(entries.map(\.state) == [.cancelled])
        #expect(entries.first?.exchange?.error?.code == "cancelled")
    }

    @Test func nothingIsCapturedAfterTheStop() async throws {
        _ = try await session.data(from: origin.path("/hello"))
        tap.stop()
        #expect(!tap.isRunning)
        let (data, _) = try await session.data(from: origin.path("/hello"))
        #expect(data.count == 5)
        #expect(tap.entries.count == 1)
        try tap.start()
        _ = try await session.data(from: origin.path("/hello"))
        // Each run begins with an empty store.
        #expect(stopped().count == 1)
    }

    @Test func anUnfinishedExchangeIsRecordedWhenTheTapStops() async throws {
        let task = Task { try await session.data(from: origin.path("/slow")) }
        await wait(for: "the request to be recorded") { !tap.entries.isEmpty }
        let entries = stopped()
        #expect(entries.map(\.state) == [.cancelled])
        #expect(entries.first?.exchange?.error?.code == "stopped")
        task.cancel()
        _ = await task.result
    }

    /// Uploads, downloads and redirections are performed by Foundation.
    @Test func foundationBehavesAsWithoutATap() async throws {
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        let (echo, _) = try await session.upload(for: request, from: Data("uploaded".utf8))
        #expect(String(decoding: echo, as: UTF8.self) == "uploaded")
        let (file, _) = try await session.download(from: origin.path("/chunks"))
        #expect(try String(contentsOf: file, encoding: .utf8) == "one two three")
        let (hello, response) = try await session.data(from: origin.path("/redirect"))
        #expect(String(decoding: hello, as: UTF8.self) == "hello")
        #expect(response.url == origin.path("/hello"))
        let (plain, _) = try await session.data(from: origin.path("/gzip"))
        #expect(plain.count == 550)

        let entries = stopped()
        #expect(entries.map(\.state) == [.success, .success, .success, .success, .success])
        let upload = try #require(entries.first?.exchange)
        #expect(upload.request.body == Body(Array("uploaded".utf8)))
        #expect(upload.response?.body == Body(Array("uploaded".utf8)))
        #expect(entries[1].exchange?.response?.body.isTruncated == true)
        #expect(entries[2].url == origin.path("/redirect").absoluteString)
        #expect(entries[2].statusCode == 302)
        #expect(entries[3].url == origin.path("/hello").absoluteString)
        #expect(entries[3].statusCode == 200)
        let zipped = try #require(entries[4].exchange?.response?.body)
        #expect(zipped.coding.isEmpty && zipped.decodedSize == 550)
        // The server sends it with a Content-Length.
        let size = try #require(zipped.size)
        #expect(size < 100 && size == entries[4].exchange?.bytes?.down.body)
    }

    @Test func manyRequestsAtOnceAreAllRecorded() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<300 {
                group.addTask { try await session.data(from: origin.path("/hello")).0.count }
            }
            for try await count in group { #expect(count == 5) }
        }
        #expect(stopped().count == 100)
        #expect(tap.summary().rows.first?.responses == 300)
    }
}

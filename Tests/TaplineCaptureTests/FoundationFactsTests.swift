// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// Unexpected behaviour of Foundation on Linux, and that a tap handles it.
///
/// If a test fails here, Foundation was fixed, and Tapline may be simplified.
@Suite struct FoundationFactsTests {
    private let origin: Origin
    private let protocolled = URLSession(configuration: FactProtocol.configuration)

    init() throws { origin = try Origin() }

    /// Runs a closure with a captured session, and returns the entries of the tap.
    private func tapped(_ work: (URLSession) async throws -> Void) async throws -> [Entry] {
        let tap = Tap()
        try tap.start()
        try await work(URLSession(configuration: .ephemeral.tapped(by: tap)))
        tap.stop()
        return tap.entries.reversed()
    }

    private func ended(_ task: URLSessionTask) async throws {
        task.resume()
        await wait(for: "the task to complete") { task.state == .completed }
    }

    @Test func aResponseStoresItsFieldsAsADictionaryOfStrings() throws {
        #expect(FoundationResponse.stored != nil, "fields are read the slow way")
        let fields = ["Server": "s", "X-Long": String(repeating: "äb", count: 50), "Empty": ""]
        let made = HTTPURLResponse(
            url: origin.path("/"),
            statusCode: 200,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        let response = try #require(made)
        #expect(FoundationResponse.fields(of: response) == fields)
        #expect(response.allHeaderFields as? [String: String] == fields)
    }

    @Test func theVersionIsOnlyKnownWithoutTLS() throws {
        let made = HTTPURLResponse(
            url: origin.path("/"),
            statusCode: 200,
            httpVersion: "HTTP/2",
            headerFields: nil
        )
        let response = try #require(made)
        var stored = ""
        dump(response, to: &stored)
        #expect(!stored.contains("HTTP/2") && !stored.lowercased().contains("version"))
        #expect(Response(response).version.isEmpty)
        for (url, version) in [
            ("https://shop.test/", ""), ("HTTPS://shop.test/", ""),
            ("http://shop.test/", "HTTP/1.1"), ("HTTP://shop.test/", "HTTP/1.1"),
        ] {
            let request = URLRequest(url: try #require(URL(string: url)))
            #expect(Request(request, of: nil).version.description == version, "\(url)")
        }
    }

    @Test func aTaskStoresItsResponse() async throws {
        #expect(FoundationTask.storedResponse != nil, "responses are read the slow way")
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: origin.path("/"))
        #expect(FoundationTask.response(of: task) == nil)
        try await ended(task)
        let response = try #require(FoundationTask.response(of: task))
        #expect(response === task.response)
        session.invalidateAndCancel()
    }

    @Test func aTaskStoresItsQueue() async throws {
        #expect(FoundationTask.storedQueue != nil, "a cancellation may come before an answer")
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: origin.path("/"))
        let queue = FoundationTask.storedQueue?.value(of: task)
        let isNoted = Mutex(false)
        #expect(queue?.label.isEmpty == false)
        await withCheckedContinuation { done in
            FoundationTask.ifOnItsWay(task) { done.resume() }
        }
        try await ended(task)
        FoundationTask.ifOnItsWay(task) { isNoted.withLock { $0 = true } }
        queue?.sync {}
        #expect(!isNoted.withLock { $0 })
        session.invalidateAndCancel()
    }

    @Test func aHandlerGetsOnlyTheLastOfSeveralParts() async throws {
        let (data, _) = try await protocolled.data(from: try FactProtocol.url("parts"))
        #expect(String(decoding: data, as: UTF8.self) == "bb")
        _ = try await tapped { session in
            let (data, _) = try await session.data(from: origin.path("/chunks"))
            #expect(String(decoding: data, as: UTF8.self) == "one two three")
        }
    }

    @Test func uploadsReachAProtocolWithoutTheirBody() async throws {
        let url = try FactProtocol.url("hello")
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        _ = try await protocolled.upload(for: request, from: Data("up".utf8))
        let seen = try #require(FactProtocol.requests(of: url).first)
        #expect(seen.httpBody == nil && seen.httpBodyStream == nil)
        var echo = URLRequest(url: origin.path("/echo"))
        echo.httpMethod = "PUT"
        let entries = try await tapped { session in
            let (data, _) = try await session.upload(for: echo, from: Data("up".utf8))
            #expect(String(decoding: data, as: UTF8.self) == "up")
        }
        #expect(entries.first?.requestBody == Data("up".utf8))
    }

    @Test func aProtocolSeesCookiesButNotTheFieldsOfTheSession() async throws {
        let configuration = FactProtocol.configuration
        configuration.httpAdditionalHeaders = ["X-Of-App": "1"]
        let url = try FactProtocol.url("hello")
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "a", .value: "1", .domain: FactProtocol.host, .path: "/",
        ]
        configuration.httpCookieStorage?.setCookie(try #require(HTTPCookie(properties: properties)))
        _ = try await URLSession(configuration: configuration).data(from: url)
        let seen = try #require(FactProtocol.requests(of: url).first)
        #expect(seen.value(forHTTPHeaderField: "Cookie") == "a=1")
        #expect(seen.value(forHTTPHeaderField: "X-Of-App") == nil)
    }

    @Test func someFieldsAreAddedAfterTheProtocol() async throws {
        let entries = try await tapped { session in
            let (data, _) = try await session.data(from: origin.path("/fields"))
            let sent = String(decoding: data, as: UTF8.self)
            for name in ["Host", "Accept", "Accept-Encoding", "User-Agent", "Connection"] {
                #expect(sent.contains("\(name): "), "\(name)")
            }
        }
        #expect(entries.first?.requestHeaders.isEmpty == true)
        #expect(entries.first?.exchange?.bytes?.up.headers ?? 0 > 100)
    }

    @Test func decodedBodiesKeepTheFieldsOfTheEncodedOnes() async throws {
        let entries = try await tapped { session in
            let (data, response) = try await session.data(from: origin.path("/gzip"))
            let http = try #require(response as? HTTPURLResponse)
            #expect(data.count == 550)
            #expect(http.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
            #expect(Int(http.value(forHTTPHeaderField: "Content-Length") ?? "") ?? 550 < 100)
        }
        #expect(entries.first?.exchange?.response?.body.coding.isEmpty == true)
        #expect(entries.first?.exchange?.bytes?.down.body ?? 550 < 100)
    }

    @Test func repeatedFieldsAreJoined() async throws {
        let entries = try await tapped { session in
            let (_, response) = try await session.data(from: origin.path("/cookies"))
            let http = try #require(response as? HTTPURLResponse)
            #expect(http.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        }
        #expect(entries.first?.exchange?.response?.fields.first("Set-Cookie") == "a=1, b=2")
    }

    @Test func receivedBytesAndTimesAreNotMeasured() async throws {
        let notes = Notes()
        let session = URLSession(
            configuration: .ephemeral,
            delegate: NotingData(Behaviour(), notes),
            delegateQueue: nil
        )
        let task = session.dataTask(with: origin.path("/hello"))
        try await ended(task)
        #expect(task.countOfBytesReceived == 0 && task.countOfBytesExpectedToReceive == 5)
        #expect(notes.lines.contains { $0.hasPrefix("ended no error") })
        #expect(!notes.lines.contains { $0.hasPrefix("metrics") })
        let entries = try await tapped { session in
            _ = try await session.data(from: origin.path("/hello"))
        }
        #expect(entries.first?.exchange?.bytes?.down.body == 5)
        // With a completion handler, the response head is not reported before the end.
        #expect(entries.first?.exchange?.timing.wait == nil)
        let tap = Tap()
        try tap.start()
        let own = TapSession(
            configuration: .ephemeral,
            delegate: NotingData(Behaviour(), notes),
            tap: tap
        )
        try await ended(own.dataTask(with: origin.path("/hello") as URL))
        tap.stop()
        #expect(tap.entries.first?.exchange?.timing.wait != nil)
    }

    @Test func aDownloadByAProtocolHasNoFile() async throws {
        let notes = Notes()
        let task = protocolled.downloadTask(with: try FactProtocol.url("hello")) { file, _, error in
            notes.add("\(file == nil) \(error == nil)")
        }
        try await ended(task)
        #expect(notes.lines == ["true true"])
        _ = try await tapped { session in
            let (file, _) = try await session.download(from: origin.path("/hello"))
            #expect(try Data(contentsOf: file).count == 5)
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test func webSocketsReachNoProtocol() async throws {
        let url = try #require(URL(string: "ws://\(FactProtocol.host)/\(UUID().uuidString)"))
        let task = protocolled.webSocketTask(with: url)
        task.resume()
        await #expect(throws: (any Error).self) { try await task.receive() }
        #expect(FactProtocol.requests(of: url).isEmpty)
    }

    @Test func aTaskOfAProtocolIsCancelled() async throws {
        let notes = Notes()
        let url = try FactProtocol.url("silent")
        let task = protocolled.dataTask(with: url) { _, _, error in
            notes.add("\((error as? URLError)?.code == .cancelled)")
        }
        task.resume()
        await wait(for: "the protocol to start") { !FactProtocol.requests(of: url).isEmpty }
        task.cancel()
        try await ended(task)
        #expect(notes.lines == ["true"])
    }

    @Test func propertiesOfARequestAreLost() async throws {
        let url = try FactProtocol.url("hello")
        let noted = NSMutableURLRequest(url: url)
        URLProtocol.setProperty("here", forKey: "note", in: noted)
        _ = try await protocolled.data(for: noted as URLRequest)
        let seen = try #require(FactProtocol.requests(of: url).first)
        #expect(URLProtocol.property(forKey: "note", in: seen) == nil)
    }
}

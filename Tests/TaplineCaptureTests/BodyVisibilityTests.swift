// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// What each way of capturing records: the table of the page of `url_protocol`, row by row.
@Suite struct BodyVisibilityTests {
    private static let captured = [Way.tapped, .wrapped]
    /// A body that exists but is not visible.
    private static let unseen = Body(bytes: [], size: nil, isTruncated: true)

    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Runs a closure and returns the recorded exchanges, oldest first.
    private func recorded(
        _ way: Way,
        _ delegate: DelegateKind = .none,
        _ behaviour: Behaviour = Behaviour(),
        _ work: (any Session) async throws -> URLSessionTask?
    ) async throws -> [Exchange] {
        let tap = Tap()
        try tap.start()
        let configuration = URLSessionConfiguration.ephemeral
        let user = delegate.make(behaviour, Notes())
        let session = way.session(configuration, user, tap)
        if let task = try await work(session) {
            task.resume()
            await wait(for: "the task to complete") { task.state == .completed }
        }
        tap.stop()
        session.invalidateAndCancel()
        return tap.entries.reversed().compactMap(\.exchange)
    }

    private func put(_ path: String = "/echo") -> URLRequest {
        var request = URLRequest(url: origin.path(path))
        request.httpMethod = "PUT"
        return request
    }

    private static func isText(_ body: Body?, _ text: String) -> Bool {
        body == Body(Array(text.utf8))
    }

    @Test(arguments: captured)
    func theRequestAndItsBodyAreRecorded(_ way: Way) async throws {
        let exchanges = try await recorded(way) { session in
            var request = put("/echo?a=1")
            request.httpBody = Data("a body".utf8)
            request.setValue("1", forHTTPHeaderField: "X-Set")
            _ = try await session.data(for: request, delegate: nil)
            return nil
        }
        let request = try #require(exchanges.first?.request)
        #expect(request.method == "PUT" && request.target == "/echo?a=1")
        #expect(request.fields.first("X-Set") == "1")
        #expect(Self.isText(request.body, "a body"))
    }

    @Test(arguments: captured)
    func theResponseAndItsBodyAreRecorded(_ way: Way) async throws {
        let exchanges = try await recorded(way) { session in
            _ = try await session.data(for: URLRequest(url: origin.path("/hello")), delegate: nil)
            return session.dataTask(with: put("/hello")) { _, _, _ in }
        }
        #expect(exchanges.map(\.response?.status) == [200, 200])
        for exchange in exchanges {
            #expect(exchange.response?.fields.first("Content-Type") == "text/plain")
            #expect(Self.isText(exchange.response?.body, "hello"))
        }
    }

    @Test(arguments: captured)
    func bodiesOfUploadsAreVisible(_ way: Way) async throws {
        let file = try CaseFile("of a file")
        let data = Data("of memory".utf8)
        let exchanges = try await recorded(way, .data) { session in
            _ = try await session.upload(for: put(), from: data, delegate: nil)
            _ = try await session.upload(for: put(), fromFile: file.url, delegate: nil)
            let own = NotingTasks(Behaviour(), Notes())
            _ = try await session.upload(for: put(), from: data, delegate: own)
            return session.uploadTask(with: put(), fromFile: file.url)
        }
        let texts = exchanges.map { String(decoding: $0.request.body.bytes, as: UTF8.self) }
        // With a completion handler, Foundation reads the file itself.
        #expect(texts == ["of memory", "of a file", "of memory", "of a file"])
        #expect(exchanges.allSatisfy { !$0.request.body.isTruncated })
    }

    @Test(arguments: captured)
    func streamsAreRecordedThroughATapSession(_ way: Way) async throws {
        let behaviour = Behaviour(stream: { InputStream(data: Data("asked for".utf8)) })
        let exchanges = try await recorded(way, .data, behaviour) { session in
            var request = put()
            request.httpBodyStream = InputStream(data: Data("a stream".utf8))
            let (echo, _) = try await session.data(for: request, delegate: nil)
            #expect(String(decoding: echo, as: UTF8.self) == "a stream")
            return session.uploadTask(withStreamedRequest: put())
        }
        let bodies = exchanges.map(\.request.body)
        switch way {
        case .wrapped:
            #expect(bodies == [Body(Array("a stream".utf8)), Body(Array("asked for".utf8))])
        case .plain, .tapped: #expect(bodies == [Self.unseen, Self.unseen])
        }
    }

    @Test(arguments: captured)
    func bodiesForADelegateAreRecordedThroughATapSession(_ way: Way) async throws {
        let exchanges = try await recorded(way, .data) { session in
            session.dataTask(with: origin.path("/chunks"))
        }
        let body = exchanges.first?.response?.body
        #expect(exchanges.first?.response?.status == 200)
        #expect(way == .wrapped ? Self.isText(body, "one two three") : body == Self.unseen)
    }

    @Test(arguments: captured)
    func downloadsAreRecordedThroughATapSession(_ way: Way) async throws {
        let request = URLRequest(url: origin.path("/hello"))
        let exchanges = try await recorded(way, .downloads) { session in
            let (file, _) = try await session.download(for: request, delegate: nil)
            try FileManager.default.removeItem(at: file)
            return session.downloadTask(with: request)
        }
        #expect(exchanges.map(\.response?.status) == [200, 200])
        for body in exchanges.map(\.response?.body) {
            #expect(way == .wrapped ? Self.isText(body, "hello") : body == Self.unseen)
        }
    }

    @Test func aDownloadWithItsOwnDelegateIsNotRecorded() async throws {
        let exchanges = try await recorded(.wrapped) { session in
            let (file, _) = try await session.download(
                for: URLRequest(url: origin.path("/hello")),
                delegate: NotingTasks(Behaviour(), Notes())
            )
            try FileManager.default.removeItem(at: file)
            return nil
        }
        #expect(exchanges.map(\.response?.body) == [Self.unseen])
    }

    /// Foundation passes bodies only to delegates that accept them.
    @Test(arguments: [DelegateKind.none, .session, .tasks, .data, .downloads])
    func bodiesAreRecordedOnTheirWayToADelegate(kind: DelegateKind) async throws {
        let url = origin.path("/hello")
        let data = try await recorded(.wrapped, kind) { $0.dataTask(with: url) }
        let upload = try await recorded(.wrapped, kind) { session in
            session.uploadTask(with: put(), from: Data("up".utf8))
        }
        let file = try await recorded(.wrapped, kind) { session in
            session.downloadTask(with: URLRequest(url: url))
        }
        for (exchanges, takes, text) in [
            (data, kind == .data, "hello"), (upload, kind == .data, "up"),
            (file, kind == .downloads, "hello"),
        ] {
            #expect(exchanges.map(\.state) == [.completed])
            let body = exchanges.first?.response?.body
            #expect(takes ? Self.isText(body, text) : body == Self.unseen)
        }
    }

    /// A body that Foundation passes to no delegate, or to one that is not observed, is not
    /// recorded as empty.
    @Test func aBodyThatIsNotVisibleIsNotRecordedAsEmpty() async throws {
        let url = origin.path("/hello")
        let ignored = try await recorded(.tapped) { $0.dataTask(with: url) }
        let inner = try await recorded(.wrapped, .data) { session in
            (session as? TapSession)?.session.dataTask(with: url)
        }
        for kind in [DelegateKind.data, .downloads] {
            let own = try await recorded(.wrapped) { session in
                let task = session.downloadTask(with: URLRequest(url: url))
                task.delegate = kind.make(Behaviour(), Notes()) as? any URLSessionTaskDelegate
                return task
            }
            #expect(own.map(\.response?.body) == [Self.unseen])
        }
        #expect(ignored.map(\.response?.body) == [Self.unseen])
        #expect(inner.map(\.response?.body) == [Self.unseen])
        let called = try await recorded(.tapped) { session in
            let delegate = NotingTasks(Behaviour(), Notes())
            _ = try await session.data(for: URLRequest(url: url), delegate: delegate)
            return nil
        }
        #expect(Self.isText(called.first?.response?.body, "hello"))
        // A completion handler receives the body, whatever the delegate.
        for way in Self.captured {
            let handled = try await recorded(way, .data) { session in
                session.dataTask(with: URLRequest(url: url)) { _, _, _ in }
            }
            #expect(Self.isText(handled.first?.response?.body, "hello"))
        }
        // An empty body is recorded as empty.
        let empty = try await recorded(.tapped) { session in
            session.dataTask(with: URLRequest(url: origin.path("/status/204"))) { _, _, _ in }
        }
        #expect(empty.first?.response?.body.isTruncated == false)
    }

    @Test(arguments: captured)
    func eachRedirectionIsAnExchange(_ way: Way) async throws {
        let exchanges = try await recorded(way) { session in
            let url = origin.path("/redirect")
            _ = try await session.data(for: URLRequest(url: url), delegate: nil)
            return nil
        }
        #expect(exchanges.first?.request.target == "/redirect")
        #expect(exchanges.last?.response?.status == 200)
        #expect(exchanges.map(\.response?.status) == [302, 200])
        #expect(exchanges.last?.request.target == "/hello")
        let isHidden = exchanges.first?.tags["redirect_hidden"] == "1"
        #expect(isHidden == (way != .wrapped))
    }

    @Test(arguments: captured)
    func aRepeatedRequestIsRecordedThroughATapSession(_ way: Way) async throws {
        let server = try DifferenceServer.shared.get()
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        let behaviour = Behaviour(challenge: { _ in (.useCredential, credential) })
        let exchanges = try await recorded(way, .data, behaviour) { session in
            session.dataTask(with: server.path("/sight/basic"))
        }
        #expect(exchanges.map(\.response?.status) == (way == .wrapped ? [401, 200] : [401]))
        guard way == .wrapped else { return }
        #expect(exchanges.first?.request.fields.first("Authorization") == nil)
        #expect(exchanges.last?.request.fields.first("Authorization") == "Basic dTpw")
        #expect(Self.isText(exchanges.first?.response?.body, "kept out"))
        #expect(Self.isText(exchanges.last?.response?.body, "let in"))
    }

    @Test(arguments: captured)
    func failuresAndCancellationsAreRecorded(_ way: Way) async throws {
        let refused = try #require(URL(string: "http://127.0.0.1:1/"))
        let exchanges = try await recorded(way, .data) { session in
            _ = try? await session.data(for: URLRequest(url: refused), delegate: nil)
            let task = session.dataTask(with: origin.path("/slow"))
            task.resume()
            task.cancel()
            return task
        }
        #expect(exchanges.first?.error?.code == "connect_refused")
        // A task may be cancelled before Foundation creates a protocol object.
        #expect(exchanges.dropFirst().allSatisfy { $0.state == .cancelled })
    }

    /// The task is Foundation's own, which works only if libcurl supports WebSockets.
    @Test func webSocketsAreNotRecorded() async throws {
        let tap = Tap()
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let url = try #require(
            URL(string: "ws" + origin.path("/hello").absoluteString.dropFirst(4))
        )
        let task = session.webSocketTask(with: url)
        task.resume()
        let error = await #expect(throws: (any Error).self) { try await task.receive() }
        let reason = error.map { ($0 as NSError).localizedDescription }
        #expect(reason == "WebSockets not supported by libcurl")
        tap.stop()
        #expect(tap.entries.isEmpty)
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// What a `TapSession` records in addition to a tapped session.
@Suite struct TapSessionTests {
    private let origin: Origin
    private let tap = Tap()

    init() throws {
        origin = try Origin()
        try tap.start()
    }

    /// Stops the tap and returns its exchanges, oldest first.
    private func stopped() -> [Exchange] {
        tap.stop()
        return tap.entries.reversed().compactMap(\.exchange)
    }

    private func put() -> URLRequest {
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        return request
    }

    @Test func bodiesOfUploadsAreRecorded() async throws {
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("of a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (first, _) = try await session.upload(for: put(), from: Data("of memory".utf8))
        let (second, _) = try await session.upload(for: put(), fromFile: file)
        #expect([first, second] == [Data("of memory".utf8), Data("of a file".utf8)])
        let exchanges = stopped()
        let texts = exchanges.map { String(decoding: $0.request.body.bytes, as: UTF8.self) }
        #expect(texts == ["of memory", "of a file"])
        #expect(exchanges.map(\.request.body.size) == [9, 9])
        #expect(exchanges.map(\.response?.body.bytes) == exchanges.map(\.request.body.bytes))
    }

    @Test func aDownloadIsRecorded() async throws {
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let (file, _) = try await session.download(from: origin.path("/chunks"))
        #expect(try String(contentsOf: file, encoding: .utf8) == "one two three")
        try FileManager.default.removeItem(at: file)
        let exchange = try #require(stopped().first)
        #expect(exchange.state == .completed)
        #expect(exchange.response?.body.bytes == Array("one two three".utf8))
    }

    @Test func eachRedirectionIsAnExchange() async throws {
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let (data, response) = try await session.data(from: origin.path("/redirect"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect(response.url == origin.path("/hello"))
        let exchanges = stopped()
        #expect(exchanges.map(\.request.target) == ["/redirect", "/hello"])
        #expect(exchanges.map(\.response?.status) == [302, 200])
        #expect(exchanges.first?.response?.fields.first("Location") == "/hello")
        #expect(exchanges.last?.response?.body.bytes == Array("hello".utf8))
    }

    @Test func callbacksOfADelegateAreRecorded() async throws {
        let delegate = Recorder()
        let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
        session.dataTask(with: origin.path("/chunks")).resume()
        await delegate.ended(1)
        session.downloadTask(with: origin.path("/chunks")).resume()
        await delegate.ended(2)
        session.uploadTask(with: put(), from: Data("up".utf8)).resume()
        await delegate.ended(3)
        #expect(
            delegate.calls == [
                "response 200", "data one ", "data two ", "data three", "end", "file one two three",
                "end", "response 200", "data up", "end",
            ]
        )
        let exchanges = stopped()
        let texts = exchanges.map {
            String(decoding: $0.response?.body.bytes ?? [], as: UTF8.self)
        }
        #expect(texts == ["one two three", "one two three", "up"])
        #expect(exchanges.last?.request.body.bytes == Array("up".utf8))
    }

    @Test func aCancelledCallIsRecordedAsCancelled() async throws {
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let url = origin.path("/slow")
        let task = Task { try await session.data(from: url) }
        await wait(for: "the request to be recorded") { !tap.entries.isEmpty }
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(stopped().map(\.state) == [.cancelled])
    }

    @Test func aFailureIsRecorded() async throws {
        let session = TapSession(configuration: .ephemeral, tap: tap)
        await #expect(throws: URLError.self) {
            _ = try await session.download(from: #require(URL(string: "http://127.0.0.1:1/")))
        }
        let exchanges = stopped()
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "connect_refused")
    }

    /// Foundation would make these calls if libcurl supported WebSockets.
    @Test func aDelegateReceivesTheCallbacksOfItsWebSockets() throws {
        let notes = Notes()
        let user = NotingWebSockets(Behaviour(), notes)
        let session = TapSession(configuration: .ephemeral, delegate: user, tap: tap)
        let task = session.webSocketTask(with: origin.path("/chat"))
        let delegate = try #require(session.session.delegate as? any URLSessionWebSocketDelegate)
        delegate.urlSession(session.session, webSocketTask: task, didOpenWithProtocol: "chat")
        let reason = Data("bye".utf8)
        delegate.urlSession(
            session.session,
            webSocketTask: task,
            didCloseWith: .goingAway,
            reason: reason
        )
        #expect(notes.lines == ["opened with chat", "closed with 1001 'bye'"])
    }

    @Test func withoutATapASessionBehavesLikeAnyOther() async throws {
        tap.stop()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let (data, _) = try await session.data(from: origin.path("/redirect"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        let (file, _) = try await session.download(from: origin.path("/hello"))
        #expect(try Data(contentsOf: file).count == 5)
        try FileManager.default.removeItem(at: file)
        #expect(tap.entries.isEmpty)
    }

    /// Foundation passes data of a download to a delegate that accepts data, and traps.
    ///
    /// Therefore Tapline's delegate accepts data only if the app's does, whether or not a tap runs.
    @Test(arguments: [false, true])
    func dataOfADownloadIsNotPassedToADelegate(runs: Bool) async throws {
        let tap = Tap()
        if runs { try tap.start() }
        let session = TapSession(configuration: FactProtocol.configuration, tap: tap)
        for inner in [false, true] {
            let request = URLRequest(url: try FactProtocol.url("own"))
            let task =
                inner
                ? session.session.downloadTask(with: request) : session.downloadTask(with: request)
            task.resume()
            await wait(for: "the task to complete") { task.state == .completed }
            #expect(task.error == nil)
        }
        tap.stop()
        #expect(tap.entries.map(\.statusCode) == (runs ? [200, 200] : []))
    }
}

/// Notes the callbacks of a delegate.
private final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable
{
    private let state = Mutex<[String]>([])

    var calls: [String] { state.withLock { $0 } }

    func ended(_ count: Int) async {
        await wait(for: "the end of \(count) tasks") {
            calls.filter { $0 == "end" }.count >= count
        }
    }

    private func note(_ call: String) { state.withLock { $0.append(call) } }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "none")")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) { note(error == nil ? "end" : "error") }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// Changes by scripts to the requests and responses of an app.
@Suite struct HookTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Runs a closure in a captured session, with a script as the only stage.
    private func tapped(
        _ script: String,
        buffer: String = "[]",
        _ work: (URLSession) async throws -> Void
    ) async throws -> [Entry] {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        let text =
            "version: 1\nsources: [url_protocol: { shared: false }]\nsinks: [ndjson: { path: out }]\n"
            + "stages:\n  - buffer: \(buffer)\n    lua:\n      code: |\n"
            + lines.map { "        \($0)\n" }.joined()
        try text.write(to: file, atomically: true, encoding: .utf8)
        let tap = Tap(configuration: file)
        try tap.start()
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Of-App": "always"]
        try await work(URLSession(configuration: configuration.tapped(by: tap)))
        tap.stop()
        return tap.entries.reversed()
    }

    @Test func aChangedRequestIsSentInstead() async throws {
        let script = """
            function request(ex)
              ex.request.path = "/fields"
              ex.request.headers["X-Added"] = "by the script"
              ex.request.headers["X-Taken"] = nil
            end
            """
        let entries = try await tapped(script) { session in
            var request = URLRequest(url: origin.path("/hello?a=1"))
            request.setValue("1", forHTTPHeaderField: "X-Taken")
            request.setValue("1", forHTTPHeaderField: "X-Kept")
            let (data, response) = try await session.data(for: request)
            let fields = String(decoding: data, as: UTF8.self)
            #expect(fields.contains("X-Added: by the script\n"))
            #expect(fields.contains("X-Kept: 1\n"))
            #expect(fields.contains("X-Of-App: always\n"))
            #expect(!fields.contains("X-Taken"))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        let exchange = try #require(entries.first?.exchange)
        #expect(exchange.state == .completed)
        #expect(exchange.request.target == "/fields?a=1")
        #expect(exchange.original.url?.description == origin.path("/hello?a=1").absoluteString)
        #expect(exchange.response?.body.bytes.isEmpty == false)
    }

    @Test func theBodyOfAnUploadIsChanged() async throws {
        let script = "function request(ex) ex.request.body = ex.request.body:upper() end"
        let entries = try await tapped(script, buffer: "[request]") { session in
            var request = URLRequest(url: origin.path("/echo"))
            request.httpMethod = "PUT"
            let (data, _) = try await session.upload(for: request, from: Data("quiet".utf8))
            #expect(String(decoding: data, as: UTF8.self) == "QUIET")
        }
        #expect(entries.first?.requestBody == Data("QUIET".utf8))
    }

    @Test func aChangedBodyIsSentInstead() async throws {
        let script = """
            function request(ex) ex.request.body = ex.request.body:upper() end
            function response(ex) ex.response.body = ex.response.body .. "!" end
            """
        let entries = try await tapped(script, buffer: "[request, response]") { session in
            var request = URLRequest(url: origin.path("/echo"))
            request.httpMethod = "POST"
            request.httpBody = Data("quiet".utf8)
            let (data, _) = try await session.data(for: request)
            #expect(String(decoding: data, as: UTF8.self) == "QUIET!")
        }
        let exchange = try #require(entries.first?.exchange)
        #expect(exchange.request.body.bytes == Array("QUIET".utf8))
        #expect(exchange.response?.body.bytes == Array("QUIET!".utf8))
    }

    @Test func aResponseIsChangedWithoutAnotherRequest() async throws {
        let script = """
            function response(ex)
              ex.response.status = 418
              ex.response.headers["X-Added"] = "by the script"
            end
            """
        let entries = try await tapped(script) { session in
            let (data, response) = try await session.data(from: origin.path("/hello"))
            let head = try #require(response as? HTTPURLResponse)
            #expect(head.statusCode == 418)
            #expect(head.value(forHTTPHeaderField: "X-Added") == "by the script")
            #expect(head.value(forHTTPHeaderField: "Content-Type") == "text/plain")
            #expect(String(decoding: data, as: UTF8.self) == "hello")
        }
        let exchange = try #require(entries.first?.exchange)
        #expect(exchange.response?.status == 418 && exchange.original.status == 200)
        #expect(exchange.response?.body.bytes == Array("hello".utf8))
    }

    @Test func aScriptAnswersInsteadOfTheServer() async throws {
        let script = """
            function request(ex)
              return respond { status = 201, headers = { ["X-From"] = "script" }, body = "made up" }
            end
            """
        let entries = try await tapped(script) { session in
            let url = try #require(URL(string: "http://nowhere.invalid/x"))
            let (data, response) = try await session.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "made up")
            let head = try #require(response as? HTTPURLResponse)
            #expect(head.statusCode == 201)
            #expect(head.value(forHTTPHeaderField: "X-From") == "script")
        }
        #expect(entries.first?.statusCode == 201)
        #expect(entries.first?.exchange?.response?.body.bytes == Array("made up".utf8))
        // Nothing was sent.
        #expect(entries.first?.exchange?.bytes == nil)
    }

    @Test(arguments: ["request", "response"])
    func aScriptAbortsTheConnection(hook: String) async throws {
        let entries = try await tapped("function \(hook)(ex) return abort() end") { session in
            let error = await #expect(throws: URLError.self) {
                _ = try await session.data(from: origin.path("/hello"))
            }
            #expect(error?.code == .networkConnectionLost)
        }
        #expect(entries.map(\.state) == [.cancelled])
        #expect(entries.first?.exchange?.error?.code == "aborted")
    }

    @Test(arguments: [
        "function request(ex) return delay(0.2) end",
        "function response(ex) return delay(0.2) end",
        "function request(ex) ex.request.path = '/hello' end "
            + "function response(ex) return delay(0.2) end",
    ])
    func aScriptDelaysAnExchange(script: String) async throws {
        let entries = try await tapped(script) { session in
            let begun = ContinuousClock.now
            let (data, _) = try await session.data(from: origin.path("/hello"))
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect(ContinuousClock.now - begun >= .milliseconds(200))
        }
        #expect(entries.map(\.state) == [.success])
        #expect(entries.first?.duration ?? .zero >= .milliseconds(200))
    }

    /// A request that a script delays or sends another way can be cancelled like any other.
    @Test(arguments: [
        "function request(ex) return delay(30) end",
        "function response(ex) return delay(30) end",
        "function request(ex) ex.request.path = '/slow' end",
    ])
    func aDelayedRequestCanBeCancelled(script: String) async throws {
        let entries = try await tapped(script) { session in
            let url = origin.path("/hello")
            let task = Task { try await session.data(from: url) }
            // A fixed time, since the beginning of a delay cannot be observed.
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(entries.map(\.state) == [.cancelled])
    }

    @Test(.timeLimit(.minutes(1)))
    func aRequestThatIsCancelledDuringADelayIsReleased() async throws {
        final class Box: @unchecked Sendable { weak var task: URLSessionTask? }
        let box = Box()
        _ = try await tapped("function response(ex) return delay(1) end") { session in
            await withCheckedContinuation { continuation in
                let task = session.dataTask(with: origin.path("/hello")) { _, _, _ in
                    continuation.resume()
                }
                box.task = task
                task.resume()
                // A fixed time: no event shows that the delay of the stage has begun.
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) {
                    box.task?.cancel()
                }
            }
            session.invalidateAndCancel()
        }
        await wait(for: "the task to be released") { box.task == nil }
    }

    @Test func aRecordCanBeDropped() async throws {
        let entries = try await tapped("function request(ex) return drop('health') end") {
            session in
            let (data, _) = try await session.data(from: origin.path("/hello"))
            #expect(data.count == 5)
        }
        #expect(entries.isEmpty)
    }

    @Test func manyConcurrentChangedRequestsAllComplete() async throws {
        let script = "function request(ex) ex.request.path = '/hello' end"
        let entries = try await tapped(script) { session in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    let url = origin.path("/other")
                    group.addTask { try await session.data(from: url).0.count }
                }
                for try await count in group { #expect(count == 5) }
            }
        }
        #expect(entries.count == 64)
    }

    /// A stage that delays simulates a slow server, to which the app's timeouts apply.
    @Test(arguments: ["request", "response"])
    func aDelayBeyondTheTimeoutTimesOut(hook: String) async throws {
        let tap = Tap { Component.lua(code: "function \(hook)(ex) return delay(30) end") }
        try tap.start()
        var short = URLRequest(url: origin.path("/hello?own"))
        short.timeoutInterval = 0.2
        let configuration = URLSessionConfiguration.ephemeral.tapped(by: tap)
        configuration.timeoutIntervalForRequest = 0.2
        let session = URLSession(configuration: configuration)
        for request in [short, URLRequest(url: origin.path("/hello"))] {
            let error = await #expect(throws: URLError.self) {
                try await session.data(for: request)
            }
            #expect(error?.code == .timedOut)
        }
        tap.stop()
        #expect(tap.entries.map(\.state) == [.failed, .failed])
        #expect(tap.entries.allSatisfy { $0.error?.code == "timeout" })
    }

    /// Suspending and resuming a delayed task does not shorten the delay.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "request(ex)", "response(ex)",
            "request(ex) if ex.request.path ~= '/hello' then return end",
        ]
    )
    func aDelayIsNotCutShort(hook: String) async throws {
        let tap = Tap { Component.lua(code: "function \(hook) return delay(0.4) end") }
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let begun = ContinuousClock.now
        let data = await withCheckedContinuation { continuation in
            let path = hook.hasSuffix("end") ? "/redirect" : "/hello"
            let task = session.dataTask(with: origin.path(path)) { data, _, _ in
                continuation.resume(returning: data)
            }
            task.resume()
            // A fixed time: no event shows that the delay of the stage has begun.
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(150)) {
                task.suspend()
                task.resume()
            }
        }
        #expect(ContinuousClock.now - begun >= .milliseconds(400))
        #expect(data == Data("hello".utf8))
        tap.stop()
    }

    @Test func aStageDelaysARedirectionToo() async throws {
        let script =
            "function request(ex) if ex.request.path == '/hello' then return delay(0.3) end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let begun = ContinuousClock.now
        let (data, _) = try await session.data(from: origin.path("/redirect"))
        #expect(data.count == 5 && ContinuousClock.now - begun >= .milliseconds(300))
        tap.stop()
        #expect(tap.entries.map(\.statusCode) == [200, 302])
    }

    /// Foundation then times out by itself, and traps if it is answered nevertheless.
    @Test func aRedirectionIsDelayedTooLong() async throws {
        let script =
            "function request(ex) if ex.request.path == '/hello' then return delay(2.5) end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 1
        let session = TapSession(configuration: configuration, tap: tap)
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: origin.path("/redirect"))
        }
        #expect(error?.code == .timedOut)
        // A fixed time, since nothing may happen when the delay is over.
        try await Task.sleep(for: .seconds(2.5))
        tap.stop()
        #expect(tap.entries.map(\.state) == [.failed, .success])
    }

    /// A delegate receives the head while the body is still arriving.
    @Test(arguments: Way.allCases.filter { $0 != .plain })
    func aResponseIsAbortedAtItsHead(way: Way) async throws {
        let tap = Tap { Component.lua(code: "function response(ex) return abort() end") }
        try tap.start()
        let notes = Notes()
        let delegate = NotingData(Behaviour(), notes)
        let session = way.session(.ephemeral, delegate, tap)
        let server = try DifferenceServer.shared.get()
        let task = session.dataTask(with: server.path("/aborted/slow"))
        task.resume()
        await wait(for: "the task to complete") { task.state == .completed }
        // A fixed time, since nothing may happen: the rest of the body would arrive now.
        try await Task.sleep(for: .milliseconds(500))
        tap.stop()
        let code = URLError.Code.networkConnectionLost.rawValue
        #expect(notes.lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") })
        #expect(!notes.lines.contains { $0.hasPrefix("responded") })
        #expect(tap.entries.map { $0.error?.code } == ["aborted"])
    }
}

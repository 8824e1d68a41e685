// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// Changes by stages that Foundation does not allow: the app receives what it would receive without
/// them, and the record shows that.
@Suite struct BeyondReachTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Waits until a task has ended and the app has been notified.
    private func end(_ task: URLSessionTask, _ notes: Notes) async throws {
        task.resume()
        await wait(for: "the app to be notified of the end") {
            notes.lines.contains { $0.hasPrefix("ended") }
        }
    }

    /// A small response is complete before Foundation learns that it is aborted.
    @Test(.timeLimit(.minutes(1)), arguments: [Way.tapped, .wrapped])
    func aSmallResponseIsAbortedToo(way: Way) async throws {
        let tap = Tap { Component.lua(code: "function response(ex) return abort() end") }
        try tap.start()
        for _ in 0..<20 {
            let notes = Notes()
            let session = way.session(.ephemeral, NotingData(Behaviour(), notes), tap)
            try await end(session.dataTask(with: origin.path("/hello")), notes)
            let code = URLError.Code.networkConnectionLost.rawValue
            #expect(notes.lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") })
            #expect(!notes.lines.contains { $0.hasPrefix("responded") })
            if way == .wrapped { #expect(!notes.lines.contains { $0.contains("hello") }) }
            session.finishTasksAndInvalidate()
        }
        tap.stop()
        #expect(tap.entries.map { $0.error?.code } == Array(repeating: "aborted", count: 20))
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [Way.tapped, .wrapped],
        ["body = 'of the script'", "json = { made = true }"]
    )
    func aDelegateGetsTheServersBodyAfterTheDelay(way: Way, content: String) async throws {
        let script = """
            function response(ex)
              ex.response.\(content)
              ex.response.headers["X-Added"] = "1"
              return delay(0.3)
            end
            """
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let notes = Notes()
        let begun = ContinuousClock.now
        let task = way.session(.ephemeral, NotingData(Behaviour(), notes), tap)
            .dataTask(with: origin.path("/hello"))
        try await end(task, notes)
        #expect(ContinuousClock.now - begun >= .milliseconds(300))
        tap.stop()
        let entry = try #require(tap.entries.first)
        #expect(entry.state == .success)
        #expect(entry.responseHeaders.contains { $0.name == "X-Added" })
        // The fields must not describe the other body either.
        let fields = entry.responseHeaders.filter { $0.name.hasPrefix("Content-") }
        #expect(fields.map(\.value) == ["5", "text/plain"])
        let head = try #require(notes.lines.first { $0.hasPrefix("responded") })
        #expect(head.contains("Content-Length: 5\", \"Content-Type: text/plain\""), "\(head)")
        #expect(head.contains("X-Added: 1"))
        #expect(entry.responseBody == (way == .wrapped ? Data("hello".utf8) : nil))
    }

    /// Foundation accepts no other request for an upload from a file or a download, and for a
    /// download no answer either.
    @Test(arguments: [
        "ex.request.path = '/fields' ex.request.body = 'of the script'",
        "if ex.request.path == '/hello' then return respond{ status = 404, body = 'of the script' } end",
    ])
    func aRequestThatIsSentUnchangedIsRecordedUnchanged(hook: String) async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = URL(fileURLWithPath: "\(folder)/upload")
        try Data("of the file".utf8).write(to: file)
        let tap = Tap { Component.lua(code: "function request(ex) \(hook) end") }
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        var request = URLRequest(url: origin.path("/echo"))
        request.httpMethod = "PUT"
        let (echo, _) = try await session.upload(for: request, fromFile: file)
        #expect(echo == Data("of the file".utf8))
        let (hello, _) = try await session.download(from: origin.path("/hello"))
        #expect(try Data(contentsOf: hello) == Data("hello".utf8))
        tap.stop()
        let (download, upload) = (try #require(tap.entries.first), try #require(tap.entries.last))
        #expect(upload.url == origin.path("/echo").absoluteString && upload.statusCode == 200)
        #expect(upload.requestBody == Data("of the file".utf8) && upload.responseBody == echo)
        #expect(download.url == origin.path("/hello").absoluteString)
        #expect(download.statusCode == 200 && download.responseBody == Data("hello".utf8))
        #expect(tap.entries.allSatisfy { $0.exchange?.original.url == nil })
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Way.tapped, .wrapped])
    func aDownloadIsDelayedAndAborted(way: Way) async throws {
        let script = """
            function response(ex)
              if ex.request.path == "/hello" then return delay(0.3) end
              return abort()
            end
            """
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        for (path, isWhole) in [("/hello", true), ("/broken-off", false)] {
            let notes = Notes()
            let session = way.session(.ephemeral, NotingDownloads(Behaviour(), notes), tap)
            let begun = ContinuousClock.now
            try await end(session.downloadTask(with: origin.path(path)), notes)
            #expect(!isWhole || ContinuousClock.now - begun >= .milliseconds(300))
            #expect(notes.lines.contains { $0.hasPrefix("file") } == isWhole)
            session.finishTasksAndInvalidate()
        }
        tap.stop()
        #expect(tap.entries.map { $0.error?.code } == ["aborted", nil])
    }

    @Test func aRedirectionIsRecordedUnchanged() async throws {
        let script = """
            function response(ex)
              if ex.response.status == 302 then ex.response.status = 200 end
            end
            """
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let (data, _) = try await session.data(from: origin.path("/redirect"))
        #expect(data == Data("hello".utf8))
        tap.stop()
        #expect(tap.entries.map(\.statusCode) == [200, 302])
        #expect(tap.entries.allSatisfy { $0.exchange?.original.status == nil })
    }

    /// In the hook for its response, or for the request that it leads to.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "response(ex) if ex.response.status == 302",
            "request(ex) if ex.request.path == '/hello'",
        ],
        [false, true]
    )
    func aRedirectionIsAborted(hook: String, hasDelegate: Bool) async throws {
        let tap = Tap { Component.lua(code: "function \(hook) then return abort() end end") }
        try tap.start()
        let notes = Notes()
        let delegate = hasDelegate ? NotingData(Behaviour(), notes) : nil
        let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
        if hasDelegate {
            try await end(session.dataTask(with: origin.path("/redirect")), notes)
            let code = URLError.Code.networkConnectionLost.rawValue
            #expect(notes.lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") })
            #expect(!notes.lines.contains { $0.hasPrefix("responded") })
        } else {
            let error = await #expect(throws: URLError.self) {
                try await session.data(from: origin.path("/redirect"))
            }
            #expect(error?.code == .networkConnectionLost)
        }
        tap.stop()
        let isAtResponse = hook.hasPrefix("response")
        #expect(
            tap.entries.map { $0.error?.code } == (isAtResponse ? ["aborted"] : ["aborted", nil])
        )
        #expect(tap.entries.last?.statusCode == 302)
    }

    /// A stage aborts after a delay: a small response, one that continues later, a redirection, and
    /// the request that it leads to.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [Way.tapped, .wrapped],
        [
            ("/hello", "response"), ("/chunks", "response"), ("/redirect", "response"),
            ("/redirect", "request"), ("/hello", "request"),
        ]
    )
    func anAbortFollowsTheDelay(way: Way, what: (path: String, hook: String)) async throws {
        let follows = what.path == "/redirect" && what.hook == "request"
        // A tapped session does not show the request of a redirection.
        if way == .tapped, follows { return }
        for (pause, limit, code) in [
            (0.4, 60.0, URLError.Code.networkConnectionLost), (30, 1, .timedOut),
        ] {
            let script = """
                function \(what.hook)(ex)
                  if \(follows) and ex.request.path == "/redirect" then return end
                  return delay(\(pause), abort())
                end
                """
            let tap = Tap { Component.lua(code: script) }
            try tap.start()
            let notes = Notes()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = limit
            let delegate = NotingData(Behaviour(), notes)
            let session = way.session(configuration, delegate, tap)
            let begun = ContinuousClock.now
            try await end(session.dataTask(with: origin.path(what.path)), notes)
            #expect(ContinuousClock.now - begun >= .seconds(min(pause, limit * 0.7)))
            let ended = notes.lines.filter { $0.hasPrefix("ended") }
            #expect(ended.count == 1 && ended[0].contains(" \(code.rawValue) "), "\(ended)")
            #expect(!notes.lines.contains { $0.hasPrefix("responded") })
            session.finishTasksAndInvalidate()
            tap.stop()
            let last = try #require(tap.entries.first)
            #expect(last.error?.code == (code == .timedOut ? "timeout" : "aborted"))
            // If Foundation hides the redirection, it is not known when the last request began.
            if way == .tapped, what.path == "/redirect" { continue }
            #expect(last.duration ?? .zero >= .seconds(min(pause, limit * 0.7)))
        }
    }

    /// The app cancels before the stage aborts.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [Way.tapped, .wrapped],
        ["/hello", "/chunks", "/redirect"]
    )
    func theAppCancelsBeforeTheAbort(way: Way, path: String) async throws {
        let tap = Tap { Component.lua(code: "function response(ex) return delay(20, abort()) end") }
        try tap.start()
        let notes = Notes()
        let session = way.session(.ephemeral, NotingData(Behaviour(), notes), tap)
        let task = session.dataTask(with: origin.path(path))
        // A fixed time: no event shows that the delay of the stage has begun.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) { task.cancel() }
        let begun = ContinuousClock.now
        try await end(task, notes)
        #expect(ContinuousClock.now - begun < .seconds(15))
        let code = URLError.Code.cancelled.rawValue
        #expect(notes.lines.contains { $0.hasPrefix("ended") && $0.contains(" \(code) ") })
        tap.stop()
        let isHidden = way == .tapped && path == "/redirect"
        #expect(tap.entries.map(\.state) == (isHidden ? [.cancelled, .success] : [.cancelled]))
    }

    /// If a delegate receives no head, the head of the server stays.
    @Test(.timeLimit(.minutes(1)), arguments: [Way.tapped, .wrapped])
    func aHeadThatNoDelegateReceivesIsNotChanged(way: Way) async throws {
        let tap = Tap { Component.lua(code: "function response(ex) ex.response.status = 418 end") }
        try tap.start()
        let notes = Notes()
        let session = way.session(.ephemeral, NotingTasks(Behaviour(), notes), tap)
        let task = session.dataTask(with: origin.path("/hello"))
        try await end(task, notes)
        tap.stop()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(tap.entries.map(\.statusCode) == [200])
    }

    /// Foundation sends no content with a request after a redirection, not even content from a
    /// stage.
    @Test(arguments: ["", "ex.request.body = 'made'", "ex.request.headers['X-Added'] = '1'"])
    func aRequestAfterARedirectionHasNoContent(hook: String) async throws {
        let server = try DifferenceServer.shared.get()
        let name = "content-\(hook.count)"
        let script =
            "function request(ex) if ex.request.path == '/\(name)/echo' then \(hook) end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        var request = URLRequest(url: server.path("/\(name)/redirect/307/redirect/307/echo"))
        request.httpMethod = "PUT"
        request.httpBody = Data("content".utf8)
        // Only the first request is as the app made it.
        let (data, _) = try await session.data(for: request)
        tap.stop()
        #expect(data.isEmpty)
        #expect(tap.entries.map { $0.requestBody?.count ?? 0 } == [0, 0, 7])
        let fields = tap.entries.first?.requestHeaders ?? []
        #expect(fields.contains { $0.name == "X-Added" } == hook.contains("X-Added"))
    }

    /// Foundation stops a suspended task, and treats it as cancelled if it is suspended at that
    /// moment.
    @Test(.timeLimit(.minutes(1)), arguments: ["/redirect", "/chunks", "/hello"])
    func aTaskIsSuspendedWhileItIsAborted(path: String) async throws {
        let tap = Tap {
            Component.lua(code: "function response(ex) return delay(0.02, abort()) end")
        }
        try tap.start()
        let notes = Notes()
        let session = TapSession(
            configuration: .ephemeral,
            delegate: NotingData(Behaviour(), notes),
            tap: tap
        )
        for count in 1...20 {
            let task = session.dataTask(with: origin.path(path))
            task.resume()
            try await Task.sleep(for: .milliseconds(15))
            // A task that is not finished resumes with each turn.
            let end = ContinuousClock.now + .milliseconds(200)
            for _ in 0..<2 {
                // Not on a queue, which would leave no thread for the cancellation.
                Thread.detachNewThread {
                    while task.isOnItsWay, ContinuousClock.now < end {
                        task.suspend()
                        task.resume()
                    }
                }
            }
            await wait(for: "the app to be notified of the end of task \(count)") {
                notes.lines.count { $0.hasPrefix("ended") } >= count
            }
        }
        tap.stop()
        #expect(tap.entries.count == 20)
        #expect(tap.entries.allSatisfy { $0.error?.code == "aborted" })
    }

    /// The app suspends or cancels a task while a stage delays a redirection.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func aTaskIsSuspendedDuringADelayedRedirection(isCancelled: Bool) async throws {
        let script =
            "function request(ex) if ex.request.path == '/hello' then return delay(0.2) end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        var (notes, isInTime) = (Notes(), false)
        while !isInTime {
            notes = Notes()
            tap.clear()
            let begun = ContinuousClock.now
            let delegate = NotingData(Behaviour(), notes)
            let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
            let task = session.dataTask(with: origin.path("/redirect"))
            task.resume()
            await wait(for: "the redirected request") { tap.entries.count >= 2 }
            task.suspend()
            // Under load the delay may be over by then.
            isInTime = ContinuousClock.now - begun < .milliseconds(180)
            // A fixed time, since nothing may happen after the delay of 200 ms.
            try await Task.sleep(for: .milliseconds(400))
            #expect(!isInTime || !notes.lines.contains { $0.hasPrefix("ended") })
            if isCancelled { task.cancel() }
            try await end(task, notes)
            session.finishTasksAndInvalidate()
        }
        #expect(notes.lines.contains { $0.hasPrefix("responded") } == !isCancelled)
        tap.stop()
        #expect(tap.entries.first?.state == (isCancelled ? .cancelled : .success))
    }
}

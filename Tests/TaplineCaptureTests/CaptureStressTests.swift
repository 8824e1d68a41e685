// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import TaplineCapture

/// Requests, cancellations, starts and stops at any time, from many threads.
@Suite struct CaptureStressTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// The scripts change requests, which are then sent through another session.
    private static let scripts = [
        "", "function request(ex) ex.request.headers['X-New'] = '1' end",
        "function request(ex) return delay(0.001) end",
        "function request(ex) if ex.request.path == '/hello' then return abort() end end",
        "function response(ex) if ex.response.status == 302 then return abort() end end",
        "function request(ex) if ex.request.path == '/hello' then return respond { "
            + "status = 302, headers = { Location = '/chunks' } } end end",
    ]

    @Test(arguments: [false, true], scripts)
    func requestsAreCancelledAtAnyMoment(wrapped: Bool, script: String) async throws {
        let tap = Tap { if !script.isEmpty { Component.lua(code: script) } }
        try tap.start()
        let own = TapSession(configuration: .ephemeral, tap: tap)
        let tapped = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        let paths = ["/hello", "/chunks", "/redirect", "/slow", "/gzip", "/broken"]
        let urls = paths.map { origin.path($0) }
        let ended = try await withThrowingTaskGroup(of: Int.self) { group in
            var ended = 0
            for number in 0..<600 {
                if number >= 32 { ended += try await group.next() ?? 0 }
                group.addTask {
                    let url = urls[number % urls.count]
                    // Not `data(from:)`: Foundation's own call deadlocks if the task ends while it
                    // is cancelled.
                    await withCheckedContinuation { continuation in
                        let end: TapSession.DataHandler = { _, _, _ in continuation.resume() }
                        let task =
                            wrapped
                            ? own.dataTask(with: url, completionHandler: end)
                            : tapped.dataTask(with: url, completionHandler: end)
                        task.resume()
                        DispatchQueue.global().asyncAfter(
                            deadline: .now() + .microseconds(.random(in: 0...6000))
                        ) { task.cancel() }
                    }
                    return 1
                }
            }
            for try await count in group { ended += count }
            return ended
        }
        tap.stop()
        #expect(ended == 600)
        #expect(tap.entries.allSatisfy { $0.state != .loading })
    }

    @Test func theTapStartsAndStopsWhileRequestsRun() async throws {
        let tap = Tap()
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        let url = origin.path("/hello")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    for _ in 0..<25 {
                        switch worker % 4 {
                        case 0: try tap.start()
                        case 1: tap.stop()
                        case 2: tap.clear()
                        default: break
                        }
                        let (data, _) = try await session.data(from: url)
                        #expect(data.count == 5)
                    }
                }
            }
            try await group.waitForAll()
        }
        tap.stop()
        #expect(!tap.isRunning)
    }
}

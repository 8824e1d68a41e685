// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking
import Tapline

/// Sixteen threads that start, stop, clear and request, and requests that are cancelled at random.
struct StressRun {
    let url: URL
    /// The URL of a slow response.
    let slow: URL
    /// The URL of a redirect to `url`.
    let moved: URL
    /// How many requests are cancelled, a quarter of them with each of three stages.
    let count: Int

    /// A stage that changes each request, so that a substitute is sent.
    private static let changing = "function request(ex) ex.request.headers['X-New'] = '1' end"
    /// A stage that aborts a third of the redirects, half of them with a delay, and delays the
    /// others.
    private static let breaking = """
        local count = 0
        function response(ex)
          if ex.response.status ~= 302 then return end
          count = count + 1
          if count % 3 ~= 0 then return delay(0.002) end
          return delay(count % 2 * 0.002, abort())
        end
        """
    /// A stage that redirects two thirds of the requests elsewhere and back, some of them after a
    /// redirect of the server.
    private static let leading = """
        local count = 0
        function request(ex)
          count = count + 1
          if count % 3 == 0 then return end
          return respond { status = 307, headers = { Location = ex.request.url } }
        end
        """

    func run() throws {
        try run(Tap(), count - count / 4 * 3)
        try run(Tap { Component.lua(code: Self.changing) }, count / 4)
        try run(Tap { Component.lua(code: Self.breaking) }, count / 4)
        try run(Tap { Component.lua(code: Self.leading) }, count / 4)
    }

    private func run(_ tap: Tap, _ count: Int) throws {
        let sessions =
            [TapSession(tap: tap).session] + [
                URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
            ]
        try startAndStop(tap, sessions, count)
        try tap.start()
        let ended = giveUp(TapSession(tap: tap), sessions[1], count)
        tap.stop()
        let loading = tap.entries.filter { $0.state == .loading }.count
        guard ended == count, loading == 0, tap.entries.count == min(count, 100) else {
            print("bench-tap: \(ended) of \(count) ended, \(loading) are still loading")
            exit(1)
        }
    }

    private func startAndStop(_ tap: Tap, _ sessions: [URLSession], _ count: Int) throws {
        let rounds = max(count / 160, 5)
        DispatchQueue.concurrentPerform(iterations: 16) { worker in
            for round in 0..<rounds {
                switch (worker + round) % 8 {
                case 0: try? tap.start()
                case 1: tap.stop()
                case 2: tap.clear()
                case 3: _ = tap.entries.count + tap.summary().rows.count
                default: break
                }
                let done = DispatchSemaphore(value: 0)
                sessions[round % 2].dataTask(with: url) { data, _, error in
                    guard data?.isEmpty == false else {
                        print("bench-tap: no response: \(error.map { "\($0)" } ?? "")")
                        exit(1)
                    }
                    done.signal()
                }.resume()
                done.wait()
            }
        }
        tap.stop()
    }

    /// Cancels requests at random moments; returns how many have called their completion handler.
    private func giveUp(_ own: TapSession, _ tapped: URLSession, _ count: Int) -> Int {
        let ended = Counter()
        let window = DispatchSemaphore(value: 64)
        let end: Way.Handler = { _, _, _ in
            ended.add()
            window.signal()
        }
        for number in 0..<count {
            window.wait()
            let target = [slow, moved, url][number % 3]
            let task =
                number % 2 == 0
                ? own.dataTask(with: target, completionHandler: end)
                : tapped.dataTask(with: target, completionHandler: end)
            task.resume()
            let moment = DispatchTime.now() + .microseconds(.random(in: 0...5000))
            DispatchQueue.global().asyncAfter(deadline: moment) { task.cancel() }
        }
        for _ in 0..<64 { window.wait() }
        for _ in 0..<64 { window.signal() }
        return ended.value
    }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() { lock.withLock { count += 1 } }
    var value: Int { lock.withLock { count } }
}

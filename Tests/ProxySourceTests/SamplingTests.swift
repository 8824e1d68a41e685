// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A sampled proxy")
struct ProxySamplingTests {
    @Test("records the same traces as the next proxy, and passes all others through the hooks")
    func chain() async throws {
        let origin = try ScriptedServer { _, _ in .send(hello) }
        let seen = Atomic<Int>(0)
        let sampling = Sampling(millionths: 100_000)
        let second = await ProxyHarness.start(sampling: sampling)
        var settings = ProxySettings()
        let next = Origin(authority: "\(second.address)".utf8.span, isSecure: false)
        settings.parent = ParentProxy(try #require(next))
        let counting = ScriptedStage(request: { _, _ in
            seen.wrappingAdd(1, ordering: .relaxed)
            return .proceed
        })
        let first = await ProxyHarness.start(
            settings,
            sampling: sampling,
            stages: [Topology.Stage(id: "counting", counting)]
        )
        // Every twentieth of the numbers, so that the last two are the highest tenth.
        let traces = (0..<20).map { number in
            let low = String((UInt64(1) << 56) / 20 * UInt64(number) + 32, radix: 16)
            return String(repeating: "a", count: 18) + String(repeating: "0", count: 14 - low.count)
                + low
        }
        let requests = traces.enumerated().map { number, trace in
            "GET http://\(origin.address)/\(number) HTTP/1.1\r\nHost: \(origin.address)\r\n"
                + "traceparent: 00-\(trace)-00f067aa0ba902b7-01\r\n\r\n"
        }
        let answers = try await exchangeBytes(with: first.address, requests.joined())
        let results = [await first.stop(), await second.stop()]
        #expect(answers.split(separator: "hello", omittingEmptySubsequences: false).count == 21)
        #expect(origin.seen.requests.count == 20)
        #expect(seen.load(ordering: .relaxed) == 20)
        for (report, exchanges) in results {
            let recorded = exchanges.map { "\($0.request.target)".split(separator: "/").last }
            #expect(recorded == ["18", "19"])
            #expect(exchanges.allSatisfy { $0.response?.body.bytes == Array("hello".utf8) })
            let counters = report.sources[0].counters
            #expect(counters.received == 20 && counters.sampledOut == 18 && report.isBalanced)
        }
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// The examples of the reference pages of `url_protocol`, copied literally.
@Suite struct ReadingExamplesTests {
    @Test func entriesAreListedAndFiltered() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        _ = try await session.data(from: origin.path("/status/503"))
        tap.stop()
        for entry in tap.entries { print(entry.copyText) }  // GET https://shop.test/cart 200 12ms
        let bad = try tap.entries(where: "status >= 500 or duration > 1s")
        print(bad.first?.exportText ?? "none")
        #expect(bad.count == 1)
    }

    @Test func eventsAreRead() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        let reader = Task {
            var lines: [String] = []
            func print(_ line: String) { lines.append(line) }
            for await event in tap.exchanges {
                switch event {
                case .began(let exchange): print("-> \(exchange.method) \(exchange.host)")
                case .ended(let record): print("<- \(record.exchange.response?.status ?? 0)")
                case .missed(let count): print("\(count) events lost")
                }
            }
            return lines
        }
        await wait(for: "the reader to begin") { tap.store.feed.readerCount > 0 }
        _ = try await session.data(from: origin.path("/hello"))
        tap.stop()
        #expect(await reader.value == ["-> GET 127.0.0.1", "<- 200"])
    }

    @Test func limitsAreSet() throws {
        let tap = Tap(limits: .init(entries: 500, bytes: 16 << 20, age: .seconds(3600)))
        #expect(!tap.store.limits.keepsAcrossRuns && tap.store.limits.entries == 500)
    }

    @Test func componentsAreCounted() async throws {
        let origin = try Origin()
        let tap = Tap()
        #expect(tap.metrics.components.isEmpty)
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        _ = try await session.data(from: origin.path("/hello"))
        await tap.flush()
        let running = tap.metrics.components.first { $0.id == "memory" }
        #expect(running?.kind == "sink" && running?.sent == 1 && running?.state == "running")
        tap.stop()
        let ended = tap.metrics.components
        #expect(ended.map(\.received) == [1, 1])
        #expect(ended.allSatisfy { $0.received == $0.sent + $0.queued })
    }

    @Test func trafficIsSummarized() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        _ = try await session.data(from: origin.path("/users/42"))
        tap.stop()
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }
        for row in tap.summary().rows {
            print("\(row.host)\(row.path): \(row.requests) requests, \(row.errors) failed")
            print("  \(row.bytesUp) bytes up, \(row.bytesDown) down")
            print("  median \(row.latency(0.5) ?? .zero), p99 \(row.latency(0.99) ?? .zero)")
        }
        #expect(lines.count == 3 && lines[0].hasSuffix("/users/{id}: 1 requests, 0 failed"))
    }

    /// The pages show only code that is run here.
    @Test func thePagesShowWhatIsRunHere() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }
        let code = try text("Tests/TaplineCaptureTests/ReadingExamplesTests.swift")
        let run = Set(code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        for (name, section) in [
            ("README", "Reading back"), ("README", "Limits"), ("Details", "Sums"),
        ] {
            let page = try text("Plugins/Sources/URLProtocol/\(name).md")
            let start = try #require(page.range(of: "\n## \(section)\n")?.upperBound)
            let end = page.range(of: "\n## ", range: start..<page.endIndex)?.lowerBound
            let blocks = page[start..<(end ?? page.endIndex)].components(separatedBy: "```swift\n")
            #expect(blocks.count > 1)
            for block in blocks.dropFirst() {
                for line in block.prefix(upTo: block.range(of: "```")?.lowerBound ?? block.endIndex)
                    .split(separator: "\n")
                {
                    #expect(run.contains(line.trimmingCharacters(in: .whitespaces)))
                }
            }
        }
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// What the sink of the example has printed.
private let printed = Mutex<[Int]>([])

private func print(_ status: Int) { printed.withLock { $0.append(status) } }

// The example of the reference page, copied literally.

/// Tags each exchange with the version of the app.
struct VersionTag: StageFactory {
    var hooks: Hooks { .record }

    func makeStage(_ context: StageContext) throws -> any Stage { Lane() }

    final class Lane: RecordStage {
        func record(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> RecordVerdict {
            exchange.tags["app"] = "1.4"
            return .keep
        }
    }
}

/// Prints the status of each exchange.
struct StatusList: SinkFactory {
    func open(_ context: SinkContext) throws -> any Sink { Writer() }

    final class Writer: Sink {
        func write(_ batch: [Record]) throws -> WriteResult {
            for record in batch { print(record.exchange.response?.status ?? 0) }
            return .written
        }
    }
}

/// Stages and sinks of an app.
@Suite struct OwnComponentTests {
    @Test func theExampleRuns() async throws {
        let origin = try Origin()
        let tap = Tap {
            Component.stage("version", VersionTag())
            Component.redact()
            Component.sink("list", StatusList()).when("host == \"shop.test\"")
        }
        let other = Tap {
            Component.stage("version", VersionTag())
            Component.sink("list", StatusList())
        }
        for tap in [tap, other] {
            try tap.start()
            let session = URLSession(configuration: .ephemeral.tapped(by: tap))
            _ = try await session.data(from: origin.path("/status/404"))
            tap.stop()
            #expect(tap.entries.first?.exchange?.tags["app"] == "1.4")
        }
        // The first sink is only for another host.
        #expect(printed.withLock(\.self) == [404])
    }

    /// The page shows only code that is run here.
    @Test func thePageShowsWhatIsRunHere() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Plugins/Sources/URLProtocol/Details.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(page.range(of: "```swift\nimport TaplinePlugin\n")?.upperBound)
        let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)?.lowerBound)
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let run = Set(code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let lines = page[start..<end].split(separator: "\n")
        #expect(lines.count > 20)
        for line in lines {
            #expect(run.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }
}

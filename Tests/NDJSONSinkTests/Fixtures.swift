// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import NDJSONSink

struct FixtureError: Error {}

/// Records of minimal exchanges, numbered by a range.
func records(_ numbers: Range<Int>, body: String = "{}") throws -> [Record] {
    try numbers.map { number in
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(.example(number, body: body)) else {
            throw FixtureError()
        }
        return record
    }
}

/// The numbers of the records in a text, in order; throws if a line is not a complete record.
func numbers(_ text: String) throws -> [Int] {
    try #require(text.isEmpty || text.hasSuffix("\n"))
    return try text.split(separator: "\n").map { line in
        try #require(line.hasPrefix("{\"v\":1,") && line.hasSuffix("}"))
        let path = try #require(line.split(separator: "/items/", maxSplits: 1).last)
        return try #require(Int(path.prefix { $0.isNumber }))
    }
}

/// A clock set by a test.
final class TestClock: Sendable {
    private let moment: Mutex<Timestamp>

    init(_ text: String = "2026-11-20T14:03:00Z") throws {
        moment = Mutex(try #require(Timestamp(rfc3339: text)))
    }

    func set(_ text: String) throws {
        let new = try #require(Timestamp(rfc3339: text))
        moment.withLock { $0 = new }
    }

    var now: Timestamp { moment.withLock { $0 } }
}

/// A log read by a test.
final class TestLog: Sendable {
    private let entries = Mutex<[String]>([])

    var log: Log {
        Log(component: "ndjson") { entry in
            self.entries.withLock { $0.append("\(entry.level.name): \(entry.message)") }
        }
    }

    var all: [String] { entries.withLock { $0 } }
}

/// Creates a sink that writes to a template.
func makeSink(
    _ path: String,
    _ rotation: Rotation = .none,
    sync: Bool = false,
    clock: TestClock? = nil,
    log: TestLog = TestLog()
) throws -> NDJSONSink {
    let clock = try clock ?? TestClock()
    let settings = NDJSONFactory(
        template: try NameTemplate(path),
        rotation: rotation,
        syncs: sync
    )
    return try NDJSONSink(settings, SinkContext(id: "ndjson", log: log.log) { clock.now })
}

extension TemporaryFolder {
    /// The names in the folder, sorted.
    var names: [String] { get throws { try FileSystem.names(in: path).sorted() } }
}

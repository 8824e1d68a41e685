// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics
internal import TaplineSystem

/// The sums since the last write, and the file that they are written to.
///
/// **Isolation**: any thread.
final class SummaryAccumulator: Sendable {
    private struct State: ~Copyable {
        var file: File
        /// The start of the interval that the sums cover.
        var from: Timestamp
        /// Whether the last write failed.
        var isFailing = false
    }

    private let path: String
    private let context: SinkContext
    private let table = TrafficTable()
    private let state: Mutex<State>

    init(_ path: String, _ context: SinkContext) throws {
        self.path = path
        self.context = context
        state = Mutex(State(file: try File(path, for: .append), from: context.now()))
    }

    /// Adds records.
    ///
    /// If the last write failed, the pending sums are written first.
    func add(_ batch: [Record]) throws {
        try state.withLock { state in
            if state.isFailing { try write(&state) }
            for record in batch { table.add(record.exchange) }
        }
    }

    /// Writes the sums and resets them.
    ///
    /// Does nothing if no exchange has ended.
    func write() throws { try state.withLock { try write(&$0) } }

    /// Writes the sums when the interval ends.
    ///
    /// If that fails, they are kept and written later.
    func writeOnTime() {
        state.withLock { state in
            let wasFailing = state.isFailing
            do {
                try write(&state)
            } catch {
                if !wasFailing { context.log.warning("write failed, trying again: \(error)") }
            }
        }
    }

    /// Reopens the file by its path, which may name another file now.
    func reopen() throws {
        try state.withLock { $0.file = try File(path, for: .append) }
        context.log.info("reopened '\(path)'")
    }

    private func write(_ state: inout State) throws {
        let rows = table.summary.rows
        let now = context.now()
        guard !rows.isEmpty else {
            state.from = now
            return
        }
        var writer = JSONWriter()
        for row in rows {
            SummaryAccumulator.line(row, from: state.from, to: now, &writer)
            writer.separator(0x0A)
        }
        do {
            let size = Int(try state.file.status().size)
            do {
                try state.file.write(writer.bytes)
            } catch {
                // Removes the part that was written.
                try? state.file.truncate(to: size)
                throw error
            }
        } catch {
            state.isFailing = true
            throw SinkError(.passing, "\(error)")
        }
        state.isFailing = false
        state.from = now
        table.clear()
    }

    private static func line(
        _ row: TrafficSummary.Row,
        from: Timestamp,
        to: Timestamp,
        _ json: inout JSONWriter
    ) {
        json.beginObject()
        var moment: [UInt8] = []
        from.appendRFC3339(to: &moment)
        json.key("from")
        json.string(moment.span)
        moment.removeAll(keepingCapacity: true)
        to.appendRFC3339(to: &moment)
        json.key("to")
        json.string(moment.span)
        json.key("host")
        json.string(row.host)
        json.key("path")
        json.string(row.path)
        let counts: [(StaticString, Int)] = [
            ("requests", row.requests), ("responses", row.responses), ("errors", row.errors),
            ("bytes_up", row.bytesUp), ("bytes_down", row.bytesDown),
        ]
        for (key, count) in counts {
            json.key(key)
            json.integer(count)
        }
        if row.times.count > 0 {
            let parts: [(StaticString, Double)] = [
                ("p50_ms", 0.5), ("p90_ms", 0.9), ("p99_ms", 0.99), ("max_ms", 1),
            ]
            for (key, part) in parts {
                json.key(key)
                json.thousandths(Int64(row.times.quantile(part) / 1000))
            }
        }
        json.endObject()
    }
}

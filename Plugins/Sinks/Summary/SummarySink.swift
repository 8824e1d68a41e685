// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineModel
internal import TaplinePlugin

/// The configured sink `summary`.
struct SummaryFactory: SinkFactory {
    let path: String
    let every: Microseconds

    var claims: [ResourceClaim] { [.file(path)] }

    func open(_ context: SinkContext) throws -> any Sink {
        SummarySink(try SummaryAccumulator(path, context), every: every)
    }
}

/// Aggregates exchanges and writes the sums at each interval, even if no exchange has ended.
final class SummarySink: Sink {
    private let accumulator: SummaryAccumulator
    private let timer: any DispatchSourceTimer

    init(_ accumulator: SummaryAccumulator, every: Microseconds) {
        self.accumulator = accumulator
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tapline.summary"))
        let interval = DispatchTimeInterval.microseconds(Int(clamping: every.count))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { accumulator.writeOnTime() }
        timer.resume()
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        try accumulator.add(batch)
        return .written
    }

    func flush() throws { try accumulator.write() }

    func reopen() throws { try accumulator.reopen() }

    func close() throws {
        timer.cancel()
        try accumulator.write()
    }
}

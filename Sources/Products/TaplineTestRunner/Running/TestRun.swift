// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineRuntime
internal import TaplineSystem

/// One running test: passes the exchanges of its steps on and checks their outcomes.
struct TestRun {
    let test: TestCase
    let trial: StageRunner
    let log: LogBook
    private var count: UInt64 = 0

    init(test: TestCase, trial: StageRunner, log: LogBook) {
        self.test = test
        self.trial = trial
        self.log = log
    }

    /// Runs a step and returns its unmet expectations.
    mutating func mismatches(of step: TestStep) -> [Mismatch] {
        switch step.exchange {
        case .inline(let inline):
            var exchange = inline.exchange
            exchange.started = inline.started ?? test.clock
            exchange.id = ExchangeID(started: exchange.started, random: 0, count << 2)
            count += 1
            return evaluate(exchange, step.expectation)
        case .recorded(let recording): return mismatches(recording, step.expectation)
        }
    }

    private func evaluate(_ exchange: Exchange, _ expectation: Expectation) -> [Mismatch] {
        let outcome = trial.run(exchange)
        return ExpectationEvaluator(values: ObservedValues(outcome: outcome), log: log.takeStep())
            .mismatches(expectation)
    }

    /// Passes on the exchanges of a recording that the step selects, one chunk of the file at a
    /// time.
    private func mismatches(_ recording: Recording, _ expectation: Expectation) -> [Mismatch] {
        var found: [Mismatch] = []
        var matched = 0
        var position = 0
        do {
            try Recordings.read(recording.path) { exchange in
                defer { position += 1 }
                if let filter = recording.filter, !filter.matches(exchange) { return true }
                defer { matched += 1 }
                if let index = recording.index, index != matched { return true }
                let place = "exchange \(position) of \(FileSystem.name(of: recording.path))"
                let line = "\(exchange.request.method) \(exchange.request.url)"
                for var mismatch in evaluate(exchange, expectation) {
                    mismatch.subject =
                        "\(place) (\(ShownText.escaped(ShownText.bounded(line))))"
                    found.append(mismatch)
                }
                return matched != recording.index && found.count <= TestResult.limit
            }
        } catch {
            found.append(Mismatch(recording.location, "the recording cannot be read: \(error)"))
        }
        let wanted = recording.index ?? 0
        if matched <= wanted {
            found.append(
                Mismatch(
                    recording.location,
                    matched == 0
                        ? "no exchange of the recording matches"
                        : "the recording has only \(matched) matching exchanges; "
                            + "'index' is \(wanted)"
                )
            )
        }
        return found
    }
}

/// Reads recordings in the same way as `replay`.
private enum Recordings {
    /// Calls the closure with each exchange until it returns `false`.
    static func read(_ path: String, _ receive: (Exchange) -> Bool) throws {
        let file = try File(path, for: .read)
        var reader = RecordingReader(file: path)
        var bytes: [UInt8] = []
        var isWanted = true
        func take(_ element: RecordingReader.Element) throws {
            guard isWanted else { return }
            isWanted = receive(try element.get())
        }
        while isWanted, try file.read(appendingTo: &bytes, atMost: 1 << 18) > 0 {
            try reader.read(bytes.span, take)
            bytes.removeAll(keepingCapacity: true)
        }
        if isWanted { try reader.finish(take) }
    }
}

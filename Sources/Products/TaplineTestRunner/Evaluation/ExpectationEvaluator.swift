// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRegex
internal import TaplineRuntime

/// Compares the outcome of an exchange with the expectation.
struct ExpectationEvaluator {
    let values: ObservedValues
    /// The messages that stages logged during the exchange.
    let log: [LogEntry]

    private var outcome: StageRunOutcome { values.outcome }

    /// Returns everything that differs from the expectation.
    func mismatches(_ expectation: Expectation) -> [Mismatch] {
        var found = unexpected(expectation)
        // Without a record, one line reports that, instead of one line for each of its fields.
        let isExplained = !found.isEmpty
        for check in expectation.checks {
            if isExplained, values.record == nil, check.assertion.needsRecord { continue }
            found += mismatches(check)
        }
        return found.sorted { $0.location < $1.location }
    }

    /// Returns failures that the file does not mention.
    private func unexpected(_ expectation: Expectation) -> [Mismatch] {
        var found: [Mismatch] = []
        if outcome.errors > 0, !expectation.mentionsFailure {
            var mismatch = Mismatch(expectation.location, "a hook failed")
            mismatch.found = ShownText.escaped(ShownText.bounded(failureText))
            found.append(mismatch)
        }
        if outcome.isAborted, !expectation.mentionsAbort {
            found.append(Mismatch(expectation.location, "a stage closed the connection"))
        }
        if case .dropped = outcome.disposition, !expectation.mentionsDrop {
            found.append(Mismatch(expectation.location, values.noRecord))
        }
        return found
    }

    private func mismatches(_ check: Check) -> [Mismatch] {
        switch check.assertion {
        case .equals(let path, let node): return compare(path, node, isExact: false, check)
        case .holds(let path, let node): return compare(path, node, isExact: false, check)
        case .exactly(let path, let node): return compare(path, node, isExact: true, check)
        case .matches(let path, let pattern):
            return search(path, check, "match the expected pattern", pattern.text) {
                pattern.matches($0)
            }
        case .contains(let path, let part):
            return search(path, check, "contain the expected text", part) { $0.contains(part) }
        case .absent(let path): return absent(path, check)
        case .dropped, .responded, .aborted, .delayed, .failed, .logs:
            return verdict(check).map { [$0] } ?? []
        }
    }

    private func compare(
        _ path: ValuePath,
        _ node: ConfigNode,
        isExact: Bool,
        _ check: Check
    ) -> [Mismatch] {
        let observed = values[path]
        guard let value = observed.value else { return [missing(path, observed, check)] }
        var comparison = Comparison(isExact: isExact)
        comparison.compare(path, node, value)
        return comparison.mismatches
    }

    private func search(
        _ path: ValuePath,
        _ check: Check,
        _ verb: String,
        _ wanted: String,
        _ isFound: (String) -> Bool
    ) -> [Mismatch] {
        let observed = values[path]
        guard observed.value != nil else { return [missing(path, observed, check)] }
        let texts = observed.texts
        if texts.contains(where: isFound) { return [] }
        var mismatch = Mismatch(check.location, "'\(path.text)' does not \(verb)")
        mismatch.expected = ShownText.escaped(ShownText.bounded(wanted))
        mismatch.found = texts.map { ShownText.escaped(ShownText.bounded($0)) }
            .joined(separator: ", ")
        return [mismatch]
    }

    private func absent(_ path: ValuePath, _ check: Check) -> [Mismatch] {
        let observed = values[path]
        if case .unknown(let reason) = observed { return [Mismatch(check.location, reason)] }
        guard let value = observed.value else { return [] }
        if path.name == nil, path.field.kind != .json, case .object(let pairs) = value,
            pairs.isEmpty
        {
            return []
        }
        if case .text("") = value, path.field.name == "body" { return [] }
        var mismatch = Mismatch(check.location, "'\(path.text)' must not exist")
        mismatch.found = ShownText.escaped(ShownText.bounded(value.compactText))
        return [mismatch]
    }

    private func missing(_ path: ValuePath, _ observed: ObservedValue, _ check: Check) -> Mismatch {
        switch observed {
        case .absent(let reason?), .unknown(let reason):
            Mismatch(check.location, "'\(path.text)' is missing: \(reason)")
        default: Mismatch(check.location, "'\(path.text)' is missing")
        }
    }
}

// MARK: - Verdicts

extension ExpectationEvaluator {
    private var failureText: String {
        let errors = log.filter { $0.level == .error }.map(\.message)
        return errors.isEmpty ? "no message" : errors.joined(separator: "; ")
    }

    private func verdict(_ check: Check) -> Mismatch? {
        switch check.assertion {
        case .dropped(let isWanted, let stage, let reason):
            return dropped(isWanted, stage, reason, check)
        case .responded(let isWanted):
            guard outcome.isAnswered != isWanted else { return nil }
            return Mismatch(
                check.location,
                isWanted
                    ? "no stage answered: the request goes to the server" : "a stage answered"
            )
        case .aborted(let isWanted):
            guard outcome.isAborted != isWanted else { return nil }
            return Mismatch(
                check.location,
                isWanted ? "no stage closed the connection" : "a stage closed the connection"
            )
        case .delayed(let wanted):
            guard outcome.delay != wanted else { return nil }
            var mismatch = Mismatch(check.location, "the delay differs")
            mismatch.expected = wanted.shown
            mismatch.found = outcome.delay.shown
            return mismatch
        case .failed(let isWanted, let text): return failed(isWanted, text, check)
        case .logs(let text):
            if log.contains(where: { $0.message.contains(text) }) { return nil }
            var mismatch = Mismatch(check.location, "no log line contains the expected text")
            mismatch.expected = ShownText.escaped(ShownText.bounded(text))
            let lines = log.suffix(5).map { ShownText.escaped(ShownText.bounded($0.message)) }
            mismatch.found = lines.isEmpty ? "nothing logged" : lines.joined(separator: "; ")
            return mismatch
        default: return nil
        }
    }

    private func dropped(
        _ isWanted: Bool,
        _ stage: String?,
        _ reason: String?,
        _ check: Check
    ) -> Mismatch? {
        guard case .dropped(let by, let why) = outcome.disposition else {
            guard isWanted else { return nil }
            if case .failed(let stage, _) = outcome.disposition {
                return Mismatch(
                    check.location,
                    "the record was not dropped by a verdict; a hook of '\(stage)' failed"
                )
            }
            return Mismatch(check.location, "the record was kept")
        }
        guard isWanted else { return Mismatch(check.location, values.noRecord) }
        if let stage, stage != by {
            var mismatch = Mismatch(check.location, "another stage dropped the record")
            (mismatch.expected, mismatch.found) = (stage, by)
            return mismatch
        }
        if let reason, reason != why {
            return Mismatch(
                check.location,
                "the record was dropped for another reason",
                expected: .text(reason),
                found: .text(why)
            )
        }
        return nil
    }

    private func failed(_ isWanted: Bool, _ text: String?, _ check: Check) -> Mismatch? {
        guard outcome.errors > 0 else {
            return isWanted ? Mismatch(check.location, "no hook failed") : nil
        }
        if isWanted, text.map({ failureText.contains($0) }) ?? true { return nil }
        var mismatch = Mismatch(
            check.location,
            isWanted ? "a hook failed with another message" : "a hook failed"
        )
        mismatch.expected = text.map { ShownText.escaped(ShownText.bounded($0)) }
        mismatch.found = ShownText.escaped(ShownText.bounded(failureText))
        return mismatch
    }
}

extension Check.Assertion {
    /// Whether the check is about the record.
    fileprivate var needsRecord: Bool {
        switch self {
        case .equals(let path, _), .holds(let path, _), .exactly(let path, _),
            .matches(let path, _), .contains(let path, _), .absent(let path):
            path.side == .record || path.side == .request || path.side == .response
        default: false
        }
    }
}

extension Microseconds {
    /// The time in the format of a test file.
    fileprivate var shown: String {
        if count == 0 { return "none" }
        if count % 1_000_000 == 0 { return "\(count / 1_000_000)s" }
        return count % 1000 == 0 ? "\(count / 1000)ms" : "\(count)us"
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds texts that are encoded within bytes, and decodes them.
///
/// **Isolation.** Used by one thread at a time; the closure may call it again with decoded bytes.
final class DecodedParts {
    private let finder = EmbeddedFinder()

    /// Calls a closure with each encoded text: its run and its decoded bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - budget: How many more bytes may be decoded.
    ///   - body: Receives each text.
    ///   - cutShort: Called if a text decodes to more than the budget, and is therefore not
    ///     complete.
    func forEach(
        in bytes: Span<UInt8>,
        _ budget: DecodingBudget,
        _ body: (EmbeddedRun, Span<UInt8>) -> Void,
        cutShort: () -> Void
    ) {
        for run in finder.allRuns(in: bytes) {
            var decoded: [UInt8] = []
            let text = bytes.extracting(run.range)
            let outcome = finder.decode(
                text,
                from: run.form,
                limit: budget.bytes,
                appendingTo: &decoded
            )
            switch outcome {
            case .decoded:
                budget.take(decoded.count)
                body(run, decoded.span)
            case .isTooLarge: cutShort()
            case .isNoText: break
            }
        }
    }

    /// Returns whether something is encoded or compressed in bytes.
    func mayOccur(in bytes: Span<UInt8>) -> Bool {
        StreamStart.next(in: bytes, from: 0) != nil || !finder.allRuns(in: bytes).isEmpty
    }
}

extension EmbeddedFinder {
    /// Returns the runs of encoded text in bytes; first that of all of them, if they are in UTF-16
    /// or UTF-32.
    func allRuns(in bytes: Span<UInt8>) -> [EmbeddedRun] {
        var runs: [EmbeddedRun] = []
        if let run = wideRun(of: bytes) { runs.append(run) }
        find(in: bytes, appendingTo: &runs)
        return runs
    }

    /// Returns the run of a text in UTF-16 or UTF-32, without a last character that is cut off.
    private func wideRun(of bytes: Span<UInt8>) -> EmbeddedRun? {
        for unit in [1, 2, 4] {
            let count = bytes.count - bytes.count % unit
            guard unit == 1 || count < bytes.count else { continue }
            if let form = wholeForm(of: bytes.extracting(0..<count)), form.isWide {
                return EmbeddedRun(range: 0..<count, form: form)
            }
        }
        return nil
    }
}

extension EmbeddedForm {
    /// Whether it is UTF-16 or UTF-32.
    var isWide: Bool { name == "utf-16" || name == "utf-32" }
}

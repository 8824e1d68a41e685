// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

/// Recordings of tests, each of which answers one request, and whose requests were cleaned.
extension RecordedAnswers {
    /// Returns the parts of a recorded request by its number.
    package typealias ReadingParts = (Int) -> RequestParts?

    /// How many recordings are compared with a request that has no answer.
    private static let maxNear = 1000

    /// Returns the first recording of a request that has not been used, and marks it as used.
    ///
    /// Recordings that equal the request in their letters come before those whose masks match it.
    /// After all have been used, the last one answers again, unless `repeats` is `miss`.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - clean: The request as it would be recorded.
    ///   - recorded: Returns the parts of recorded requests.
    /// - Returns: The number of the recording, or that there is none.
    package func unusedAnswer(
        _ request: borrowing Request,
        cleaned clean: borrowing Request,
        recorded: ReadingParts
    ) -> Answer {
        var variants: [Int32] = []
        if copy request == copy clean {
            variants = keys.compactMap { variant(of: clean, $0) }
        }
        if variants.isEmpty {
            var live = LiveRequest(
                raw: RequestParts(copy request),
                clean: RequestParts(copy clean)
            )
            variants = compared(live, recorded)
            if variants.isEmpty {
                live.masked = masked
                variants = compared(live, recorded)
            }
        }
        return takeUnused(of: variants)
    }

    private func variant(of request: borrowing Request, _ keys: RequestKeys) -> Int32? {
        let key = keys.key(request)
        let content = keys.content(request)
        return state.withLock { state in
            guard let group = state.index.group(key.route) else { return nil }
            let host = keys.rules.comparesHost == false ? nil : key.host
            return state.index.variant(of: group, host: host, content)
        }
    }

    /// Returns the variants that equal a request, part by part.
    private func compared(_ live: LiveRequest, _ recorded: ReadingParts) -> [Int32] {
        let index = state.withLock { $0.index }
        return index.variants.indices.compactMap { position in
            let variant = index.variants[position]
            let rules = keys[Int(index.groups[Int(variant.group)].rules)].rules
            guard let parts = recorded(Int(variant.first)),
                live.differences(from: parts, rules).isEmpty
            else { return nil }
            return Int32(truncatingIfNeeded: position)
        }
    }

    private func takeUnused(of variants: [Int32]) -> Answer {
        state.withLock { state in
            let numbers = variants.flatMap { state.index.recordings(of: $0) }.sorted()
            guard let last = numbers.last else { return .none }
            let unused = numbers.first { !state.isUsed($0) }
            guard let next = unused ?? (repeats == .miss ? nil : last) else {
                return .usedUp(numbers.count)
            }
            state.use(next)
            return .recording(next)
        }
    }

    /// Explains why a request has no answer, without values in the places of masks.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - clean: The request as it would be recorded.
    ///   - answer: The answer, which is not a recording.
    ///   - recorded: Returns the parts of recorded requests.
    /// - Returns: The nearest recorded requests, and what differs.
    package func explain(
        _ request: borrowing Request,
        cleaned clean: borrowing Request,
        _ answer: Answer,
        recorded: ReadingParts
    ) -> MissExplanation {
        let live = LiveRequest(
            raw: RequestParts(copy request),
            clean: RequestParts(copy clean),
            masked: masked
        )
        let near = nearest(clean, limit: Self.maxNear)
        let found = Self.differences(of: live, from: near, recorded, showsSegments: false) {
            keys[$0].rules
        }
        let url = found.first.map { masked.shown(live.clean.url, beside: $0.recorded) }
        return MissExplanation(live, answer, found.map(\.shown), url: url)
    }
}

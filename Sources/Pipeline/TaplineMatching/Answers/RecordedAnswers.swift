// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

/// Recorded exchanges as answers to requests: which one answers, and why none does.
///
/// Only hashes of requests are kept, so that a million recordings fit into memory. Requests with
/// masks, and explanations, need recorded requests again, which the caller reads by their numbers.
///
/// Recordings may have rules of their own. A request is compared with the recordings of each of these
/// rules, in order, and then with all others.
///
/// **Isolation**: any thread.
package final class RecordedAnswers: Sendable {
    /// The answer to a request.
    package enum Answer: Sendable, Equatable {
        /// The recording with this number.
        case recording(Int)
        /// All recordings of the request have been used; their number.
        case usedUp(Int)
        /// There is no recording of the request.
        case none
    }

    /// How a request came, and from whom.
    package struct Asking: Sendable {
        /// Whether the client names the host, so that it counts unless the rules say otherwise.
        package var comparesHost: Bool
        /// The session whose answers follow each other.
        package var session: UInt64

        package init(comparesHost: Bool, session: UInt64 = 0) {
            self.comparesHost = comparesHost
            self.session = session
        }
    }

    /// Reads a recorded request by its number; `nil` if it cannot be read any more.
    package typealias Reading = (Int) -> Request?

    struct State: Sendable {
        var index = AnswerIndex()
        var sequences = AnswerSequences()
        /// A bit for each recording that was used.
        var used: [UInt64] = []
        var usedCount = 0
        /// How many sequences were forgotten before the recordings were read again.
        var formerlyForgotten = 0

        func isUsed(_ number: Int) -> Bool { used[number >> 6] & 1 << UInt64(number & 63) != 0 }

        mutating func use(_ number: Int) {
            guard !isUsed(number) else { return }
            used[number >> 6] |= 1 << UInt64(number & 63)
            usedCount += 1
        }
    }

    /// The rules for recordings without rules of their own.
    package let rules: RequestRules
    /// The keys by all rules, in the order in which requests are compared.
    let keys: [RequestKeys]
    let repeats: AnswerRepeats
    let masked: MaskedText
    let state = Mutex(State())

    /// Creates answers without recordings.
    ///
    /// - Parameters:
    ///   - rules: The parts in which a request must equal a recorded one.
    ///   - special: Rules for chosen recordings, by their numbers in `add`.
    ///   - repeats: What answers after the last recording of a request.
    ///   - masks: The texts that replace values in recordings; each matches anything.
    package init(
        _ rules: RequestRules,
        special: [RequestRules] = [],
        repeats: AnswerRepeats = .last,
        masks: Set<String> = []
    ) {
        self.rules = rules
        self.repeats = repeats
        keys = (special + [rules]).enumerated().map { number, rules in
            RequestKeys(rules, number: number, masks: masks)
        }
        masked = MaskedText(masks: masks)
    }

    /// The number of recordings.
    package var count: Int { state.withLock { $0.index.count } }

    /// How many recordings were used.
    package var usedCount: Int { state.withLock { $0.usedCount } }

    /// The numbers of the recordings that were used.
    package var used: [Int] {
        state.withLock { state in (0..<state.index.count).filter { state.isUsed($0) } }
    }

    /// How many sequences of sessions were forgotten, so that they begin anew.
    package var forgottenCount: Int {
        state.withLock { $0.sequences.forgottenCount + $0.formerlyForgotten }
    }

    /// Adds the number of sequences that were forgotten before the recordings were read again.
    package func noteForgotten(_ count: Int) {
        state.withLock { $0.formerlyForgotten += count }
    }

    /// Goes on with the sequences of answers that were read before, if the recorded requests are the
    /// same.
    ///
    /// - Parameter former: The former answers.
    /// - Returns: Whether they are the same; if not, nothing changes.
    package func continueSequences(of former: RecordedAnswers) -> Bool {
        let (index, sequences, forgotten) = former.state.withLock { state in
            (state.index, state.sequences, state.formerlyForgotten)
        }
        return state.withLock { state in
            guard state.index.hasSameRequests(as: index) else { return false }
            state.sequences = sequences
            state.formerlyForgotten += forgotten
            return true
        }
    }

    /// Marks recordings as used, as they were before they were read again.
    ///
    /// - Parameter numbers: Their numbers; those of no recording are ignored.
    package func markUsed(_ numbers: [Int]) {
        state.withLock { state in
            for number in numbers where 0..<state.index.count ~= number { state.use(number) }
        }
    }

    /// Returns the numbers of recordings that were not used, the first ones.
    package func unused(limit: Int) -> [Int] {
        state.withLock { state in
            var found: [Int] = []
            var number = 0
            while number < state.index.count, found.count < limit {
                if !state.isUsed(number) { found.append(number) }
                number += 1
            }
            return found
        }
    }

    /// Adds the next recording.
    ///
    /// - Parameters:
    ///   - request: The recorded request.
    ///   - special: The number of the rules that it has of its own, from 0.
    /// - Returns: The number of the recording, from 0; `nil` if there is no room for more.
    @discardableResult
    package func add(_ request: borrowing Request, by special: Int? = nil) -> Int? {
        guard let keys = special.map({ keys.indices.contains($0) ? keys[$0] : nil }) ?? keys.last
        else { return nil }
        let shape = keys.shape(of: request)
        let key = keys.key(request, shape)
        let content = keys.content(request)
        let isMasked = keys.hasMaskedContent(request)
        let prefixes = keys.prefixes(of: request)
        return state.withLock { state in
            let number = state.index.count
            guard number < Int(Int32.max) else { return nil }
            state.index.add(
                key,
                by: keys.number,
                content: content,
                isMasked: isMasked,
                shape: shape,
                prefixes: { prefixes }
            )
            if number & 63 == 0 { state.used.append(0) }
            return number
        }
    }
}

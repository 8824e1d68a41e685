// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

/// Recorded exchanges as answers to requests: which one answers, and why none does.
///
/// Only hashes of requests are kept, so that a million recordings fit into memory. Requests with
/// masks, and explanations, need recorded requests again, which the caller reads by their numbers.
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
        /// Whether the host counts.
        package var comparesHost: Bool
        /// The session whose answers follow each other.
        package var session: UInt64

        package init(comparesHost: Bool, session: UInt64 = 0) {
            self.comparesHost = comparesHost
            self.session = session
        }

        /// Makes a value, such as that of a cookie, the session.
        package mutating func setSession(_ value: Span<UInt8>) {
            var hash = PartHash()
            hash.add(value)
            session = hash.value
        }
    }

    /// Reads a recorded request by its number; `nil` if it cannot be read any more.
    package typealias Reading = (Int) -> Request?

    private struct State: Sendable {
        var index = AnswerIndex()
        var sequences = AnswerSequences()
        /// A bit for each recording that was used.
        var used: [UInt64] = []
        var usedCount = 0

        func isUsed(_ number: Int) -> Bool { used[number >> 6] & 1 << UInt64(number & 63) != 0 }

        mutating func use(_ number: Int) {
            guard !isUsed(number) else { return }
            used[number >> 6] |= 1 << UInt64(number & 63)
            usedCount += 1
        }
    }

    /// How many masked recordings of a group are compared with a request.
    private static let maxCompared = 1000

    package let rules: RequestRules
    private let keys: RequestKeys
    private let repeats: AnswerRepeats
    private let masked: MaskedText
    private let state = Mutex(State())

    /// Creates answers without recordings.
    ///
    /// - Parameters:
    ///   - rules: The parts in which a request must equal a recorded one.
    ///   - repeats: What answers after the last recording of a request.
    ///   - masks: The texts that replace values in recordings; each matches anything.
    package init(
        _ rules: RequestRules,
        repeats: AnswerRepeats = .last,
        masks: Set<String> = []
    ) {
        self.rules = rules
        self.repeats = repeats
        keys = RequestKeys(rules, masks: masks)
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
    /// - Parameter request: The recorded request.
    /// - Returns: The number of the recording, from 0; `nil` if there is no room for more.
    @discardableResult
    package func add(_ request: borrowing Request) -> Int? {
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

// MARK: - Answering

extension RecordedAnswers {
    /// Returns the recording that answers a request.
    ///
    /// - Parameters:
    ///   - request: The request with its body.
    ///   - asking: How it came.
    ///   - recorded: Reads recorded requests with masks.
    /// - Returns: The number of the recording, or that there is none.
    package func answer(
        _ request: borrowing Request,
        _ asking: Asking,
        recorded: Reading
    ) -> Answer {
        let key = keys.key(request)
        let host = asking.comparesHost ? key.host : nil
        // The usual case takes the lock once.
        let (found, shapes) = state.withLock { state in
            (find(key.route, host, asking, &state), state.index.shapes)
        }
        switch found {
        case .answer(let answer): return answer
        case .group(let group):
            if let answer = answer(request, of: group, host, asking, recorded) { return answer }
        case .none: break
        }
        guard !shapes.isEmpty else { return .none }
        let live = LiveRequest(request, masked)
        for shape in shapes {
            let key = keys.key(request, shape)
            guard let group = state.withLock({ $0.index.group(key.route) }) else { continue }
            let answer = compared(live, with: group, host, asking, recorded) { _ in true }
            if let answer { return answer }
        }
        return .none
    }

    /// How far the route and the host lead.
    private enum Found {
        case answer(Answer)
        /// Fields and body decide.
        case group(Int32)
        case none
    }

    private func find(
        _ route: UInt64,
        _ host: UInt64?,
        _ asking: Asking,
        _ state: inout State
    ) -> Found {
        guard let group = state.index.group(route) else { return .none }
        if comparesContent(of: group, state.index) { return .group(group) }
        guard let variant = state.index.variant(of: group, host: host) else { return .none }
        return .answer(take(variant, asking, &state))
    }

    /// Returns the answer of a group by fields and body.
    private func answer(
        _ request: borrowing Request,
        of group: Int32,
        _ host: UInt64?,
        _ asking: Asking,
        _ recorded: Reading
    ) -> Answer? {
        let content = keys.content(request)
        let (answer, hasMasks) = state.withLock { state in
            let variant = state.index.variant(of: group, host: host, content)
            let hasMasks = state.index.groups[Int(group)].hasMasks
            return (variant.map { take($0, asking, &state) }, hasMasks)
        }
        if let answer { return answer }
        guard hasMasks else { return nil }
        let live = LiveRequest(request, masked)
        return compared(live, with: group, host, asking, recorded, where: \.isMasked)
    }

    private func comparesContent(of group: Int32, _ index: AnswerIndex) -> Bool {
        rules.parts.contains(.body) || !rules.fields.isEmpty
            || index.groups[Int(group)].hasContents
    }

    /// Returns the answer of the first variant of a group that equals a request in full.
    private func compared(
        _ live: LiveRequest,
        with group: Int32,
        _ host: UInt64?,
        _ asking: Asking,
        _ recorded: Reading,
        where isWanted: (AnswerIndex.Variant) -> Bool
    ) -> Answer? {
        let (candidates, isCompared) = state.withLock { state in
            let found = state.index.variants(of: group, limit: Self.maxCompared) {
                isWanted($0) && (host == nil || $0.host == host)
            }
            return (
                found.map { ($0, Int(state.index.variants[Int($0)].first)) },
                comparesContent(of: group, state.index)
            )
        }
        let rules = rules(comparesHost: asking.comparesHost, comparesBody: isCompared)
        for (variant, number) in candidates {
            guard let request = recorded(number),
                live.differences(from: RequestParts(request), rules).isEmpty
            else { continue }
            return state.withLock { take(variant, asking, &$0) }
        }
        return nil
    }

    /// The rules for a full comparison.
    private func rules(comparesHost: Bool, comparesBody: Bool) -> RequestRules {
        var rules = rules
        if !comparesHost { rules.parts.subtract([.scheme, .host, .port]) }
        if comparesBody, rules.comparesAmbiguousBodies { rules.parts.insert(.body) }
        return rules
    }

    /// Takes the next recording of a variant for a session.
    private func take(_ variant: Int32, _ asking: Asking, _ state: inout State) -> Answer {
        let next = state.sequences.next(of: variant, in: state.index, for: asking.session, repeats)
        guard let next else { return .usedUp(Int(state.index.variants[Int(variant)].count)) }
        state.use(Int(next))
        return .recording(Int(next))
    }
}

extension LiveRequest {
    /// A request that is compared as it came.
    fileprivate init(_ request: borrowing Request, _ masked: MaskedText) {
        let parts = RequestParts(copy request)
        self.init(raw: parts, clean: parts, masked: masked)
    }
}

// MARK: - Misses

extension RecordedAnswers {
    /// How many recordings are compared with a request that has no answer, and how many are shown.
    private static let nearCount = (compared: 24, shown: 3)

    /// Explains why a request has no answer.
    ///
    /// - Parameters:
    ///   - request: The request with its body.
    ///   - answer: The answer, which is no recording.
    ///   - asking: How it came.
    ///   - recorded: Reads recorded requests.
    /// - Returns: The nearest recorded requests, and what differs.
    package func explain(
        _ request: borrowing Request,
        _ answer: Answer,
        _ asking: Asking,
        recorded: Reading
    ) -> MissExplanation {
        let key = keys.key(request)
        let prefixes = keys.prefixes(of: request)
        let near = state.withLock { state in
            state.index.near(key, prefixes: prefixes, limit: Self.nearCount.compared)
        }
        let live = LiveRequest(request, masked)
        let rules = rules(comparesHost: asking.comparesHost, comparesBody: true)
        var found: [MissExplanation.Nearest] = []
        for number in near {
            guard let parts = recorded(number).map({ RequestParts($0) }) else { continue }
            let differences = live.differences(from: parts, rules)
            found.append(MissExplanation.Nearest(parts, differences, beside: live.clean))
        }
        found.sort { $0.weight < $1.weight }
        var times: Int?
        if case .usedUp(let count) = answer { times = count }
        return MissExplanation(
            method: live.clean.method,
            url: live.clean.url,
            recordedTimes: times,
            nearest: Array(found.prefix(Self.nearCount.shown))
        )
    }
}

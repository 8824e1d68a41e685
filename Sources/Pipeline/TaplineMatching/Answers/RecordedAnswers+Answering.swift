// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

extension RecordedAnswers {
    /// How many masked recordings of a group are compared with a request.
    private static let maxCompared = 1000

    /// The rules by which recordings are searched, and how the request came.
    private struct Search {
        let keys: RequestKeys
        let asking: Asking
        let comparesHost: Bool

        init(_ keys: RequestKeys, _ asking: Asking) {
            self.keys = keys
            self.asking = asking
            comparesHost = keys.rules.comparesHost ?? asking.comparesHost
        }

        /// The host of a key, if it counts.
        func host(_ key: AnswerKey) -> UInt64? { comparesHost ? key.host : nil }

        /// Whether fields and bodies of a group count.
        func comparesContent(of group: Int32, _ index: AnswerIndex) -> Bool {
            keys.rules.parts.contains(.body) || !keys.rules.fields.isEmpty
                || !keys.rules.values.isEmpty || index.groups[Int(group)].hasContents
        }
    }

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
        for keys in keys {
            let answer = answer(request, Search(keys, asking), recorded)
            if answer != .none { return answer }
        }
        return .none
    }

    private func answer(
        _ request: borrowing Request,
        _ search: Search,
        _ recorded: Reading
    ) -> Answer {
        let key = search.keys.key(request)
        let host = search.host(key)
        // The usual case takes the lock once.
        let (found, shapes) = state.withLock { state in
            (find(key.route, host, search, &state), state.index.shapes)
        }
        switch found {
        case .answer(let answer): return answer
        case .group(let group):
            if let answer = answer(request, of: group, host, search, recorded) { return answer }
        case .none: break
        }
        guard !shapes.isEmpty else { return .none }
        let live = LiveRequest(request, masked)
        for shape in shapes {
            let key = search.keys.key(request, shape)
            guard let group = state.withLock({ $0.index.group(key.route) }) else { continue }
            let answer = compared(live, with: group, host, search, recorded) { _ in true }
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
        _ search: Search,
        _ state: inout State
    ) -> Found {
        guard let group = state.index.group(route) else { return .none }
        if search.comparesContent(of: group, state.index) { return .group(group) }
        guard let variant = state.index.variant(of: group, host: host) else { return .none }
        return .answer(take(variant, search.asking, &state))
    }

    /// Returns the answer of a group by fields and body.
    private func answer(
        _ request: borrowing Request,
        of group: Int32,
        _ host: UInt64?,
        _ search: Search,
        _ recorded: Reading
    ) -> Answer? {
        let content = search.keys.content(request)
        let (answer, hasMasks) = state.withLock { state in
            let variant = state.index.variant(of: group, host: host, content)
            let hasMasks = state.index.groups[Int(group)].hasMasks
            return (variant.map { take($0, search.asking, &state) }, hasMasks)
        }
        if let answer { return answer }
        guard hasMasks else { return nil }
        let live = LiveRequest(request, masked)
        return compared(live, with: group, host, search, recorded, where: \.isMasked)
    }

    /// Returns the answer of the first variant of a group that equals a request in full.
    private func compared(
        _ live: LiveRequest,
        with group: Int32,
        _ host: UInt64?,
        _ search: Search,
        _ recorded: Reading,
        where isWanted: (AnswerIndex.Variant) -> Bool
    ) -> Answer? {
        let (candidates, isCompared) = state.withLock { state in
            let found = state.index.variants(of: group, limit: Self.maxCompared) {
                isWanted($0) && (host == nil || $0.host == host)
            }
            return (
                found.map { ($0, Int(state.index.variants[Int($0)].first)) },
                search.comparesContent(of: group, state.index)
            )
        }
        let rules = search.keys.rules.compared(
            comparesHost: search.comparesHost,
            comparesBody: isCompared
        )
        for (variant, number) in candidates {
            guard let request = recorded(number),
                live.differences(from: RequestParts(request), rules).isEmpty
            else { continue }
            return state.withLock { take(variant, search.asking, &$0) }
        }
        return nil
    }

    /// Takes the next recording of a variant for a session.
    private func take(_ variant: Int32, _ asking: Asking, _ state: inout State) -> Answer {
        let next = state.sequences.next(of: variant, in: state.index, for: asking.session, repeats)
        guard let next else { return .usedUp(Int(state.index.variants[Int(variant)].count)) }
        state.use(Int(next))
        return .recording(Int(next))
    }
}

extension RequestRules {
    /// The rules for a comparison part by part.
    func compared(comparesHost: Bool, comparesBody: Bool) -> RequestRules {
        var rules = self
        if !comparesHost { rules.parts.subtract([.scheme, .host, .port]) }
        if comparesBody, rules.comparesAmbiguousBodies { rules.parts.insert(.body) }
        return rules
    }
}

extension LiveRequest {
    /// A request that is compared as it came.
    init(_ request: borrowing Request, _ masked: MaskedText) {
        let parts = RequestParts(copy request)
        self.init(raw: parts, clean: parts, masked: masked)
    }
}

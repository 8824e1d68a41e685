// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Several paths that are followed together while JSON is read.
///
/// A state is a bit: "the steps before this one have matched". The bits for one level of a document
/// are `words` numbers, which the caller keeps for each level.
struct JSONPathRules: Sendable {
    private struct State: Sendable {
        let step: JSONPath.Step
        /// The rule that matches with this step, if it is the last one of its path.
        let rule: Rule?
    }

    private var states: [State] = []
    /// The states at the root of a document.
    private(set) var initial: [UInt64] = []

    /// The maximum number of states.
    static let limit = 1024

    var isEmpty: Bool { states.isEmpty }

    /// The number of words that contain the states of one level.
    var words: Int { initial.count }

    /// Adds a path; returns whether there was room for it.
    mutating func add(_ path: JSONPath, _ rule: Rule) -> Bool {
        guard states.count + path.steps.count <= JSONPathRules.limit else { return false }
        let first = states.count
        for (position, step) in path.steps.enumerated() {
            let isLast = position == path.steps.count - 1
            states.append(State(step: step, rule: isLast ? rule : nil))
        }
        while initial.count * 64 < states.count { initial.append(0) }
        initial[first / 64] |= 1 << UInt64(first % 64)
        return true
    }

    /// Descends one level to a member.
    func descend(
        from level: Int,
        _ stack: inout [UInt64],
        name: Span<UInt8>
    ) -> Rule? {
        descend(from: level, &stack) { selector in
            switch selector {
            case .name(let rules): rules.rule(for: name) != nil
            case .any: true
            case .index, .anyIndex: false
            }
        }
    }

    /// Descends one level to an element.
    func descend(from level: Int, _ stack: inout [UInt64], index: Int) -> Rule? {
        descend(from: level, &stack) { selector in
            switch selector {
            case .index(let wanted): wanted == index
            case .anyIndex, .any: true
            case .name: false
            }
        }
    }

    /// Writes the states of the next level after those of `level`; returns the rule for the value
    /// there, if a path ends.
    private func descend(
        from level: Int,
        _ stack: inout [UInt64],
        _ isMatch: (JSONPath.Selector) -> Bool
    ) -> Rule? {
        let base = level * words
        let below = base + words
        while stack.count < below + words { stack.append(0) }
        for word in 0..<words { stack[below + word] = 0 }
        var rule: Rule?
        for word in 0..<words {
            var rest = stack[base + word]
            while rest != 0 {
                let position = word * 64 + rest.trailingZeroBitCount
                rest &= rest - 1
                let state = states[position]
                if state.step.isDeep { set(position, in: &stack, below) }
                guard isMatch(state.step.selector) else { continue }
                if let found = state.rule {
                    rule = found
                } else {
                    set(position + 1, in: &stack, below)
                }
            }
        }
        return rule
    }

    private func set(_ position: Int, in stack: inout [UInt64], _ base: Int) {
        stack[base + position / 64] |= 1 << UInt64(position % 64)
    }
}

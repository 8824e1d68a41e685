// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineStore

/// What the stores had at a moment, with the number by which the page knows it.
struct NumberedHead: Sendable {
    let number: Int64
    let head: StoreHead
}

/// The heads of one generation.
///
/// The number of one database is the position of its last exchange; of a recording, the number of
/// its exchanges. For several stores it is the sum of these, which grows with each of them. Numbers
/// of a later generation are greater than all of the earlier ones, so that a number of the page
/// shows which generation it belongs to.
///
/// **Isolation**: any thread.
final class Heads: Sendable {
    private struct State {
        var current: StoreHead
        /// The largest number so far.
        var end: Int64
        /// The heads of several stores, ascending by number.
        var known: [NumberedHead] = []
    }

    /// How many heads of several stores are kept.
    private static let limit = 1024

    private let base: Int64
    private let state: Mutex<State>

    /// Begins with what the stores have first.
    ///
    /// - Parameters:
    ///   - head: What they have.
    ///   - base: The number of a head without exchanges.
    init(_ head: StoreHead, base: Int64 = 0) {
        self.base = base
        state = Mutex(State(current: head, end: base))
        note(head)
    }

    /// The newest head.
    var current: NumberedHead { state.withLock { numbered($0.current) } }

    /// A number that is greater than those of all heads so far.
    var end: Int64 {
        let (end, overflow) = state.withLock { $0.end }.addingReportingOverflow(1)
        return overflow ? .max : end
    }

    /// Notes what the stores have now.
    func note(_ head: StoreHead) {
        state.withLock { state in
            state.current = head
            let found = numbered(head)
            state.end = max(state.end, found.number)
            guard head.parts.count > 1 else { return }
            // Fewer than before: exchanges were removed.
            state.known.removeAll { $0.number >= found.number }
            state.known.append(found)
            if state.known.count > Self.limit { state.known.removeFirst() }
        }
    }

    /// Returns the head with a number, or the closest one before it.
    ///
    /// - Throws: `APIError` if the number belongs to an earlier generation.
    func head(_ number: Int64) throws(APIError) -> NumberedHead {
        if number < base { throw .replaced }
        return state.withLock { state in
            let current = numbered(state.current)
            guard number < current.number else { return current }
            guard state.current.parts.count > 1 else {
                return numbered(state.current.limited(to: number - base))
            }
            return state.known.last { $0.number <= number } ?? state.known.first ?? current
        }
    }

    private func numbered(_ head: StoreHead) -> NumberedHead {
        let (number, overflow) = base.addingReportingOverflow(head.number)
        return NumberedHead(number: overflow ? .max : number, head: head)
    }
}

// SPDX-License-Identifier: MIT

/// Pairs the requests of two recordings.
///
/// 1. Requests that name the recorded exchange which they repeat are paired with it, even if several
///    do.
/// 2. Each session of one recording belongs to a session of the other one; see `SessionAlignment`.
/// 3. In two sessions, a longest common subsequence of equal requests is paired, so that missing and
///    extra requests do not shift the others.
/// 4. Other equal requests of the sessions are paired in their order, since requests that are sent
///    side by side arrive in any order.
/// 5. Between two pairs of step 3, requests with the same path, and then with the same route, are
///    paired in their order: their query, body or id may be new in each run.
/// 6. Other requests of the sessions with the same path are paired if there are as many of them on
///    both sides.
/// 7. Equal requests of other sessions are paired in their order.
///
/// The host counts if the recordings have at least one in common.
///
/// **Limits**: the keys of both recordings, and about as much memory again.
package struct PairAlignment: Sendable {
    /// For each recorded request, the position of the new one; `nil` if there is none.
    package private(set) var partners: [Int?]
    /// For new requests that repeat a recorded one again, its position.
    package private(set) var repeats: [Int: Int] = [:]
    /// The positions of new requests without a partner, in order.
    package private(set) var extra: [Int] = []

    private let recorded: [RequestKey]
    private let found: [RequestKey]
    private let countsHosts: Bool
    /// Which new requests have a partner.
    private var isPaired: [Bool]

    /// Pairs requests.
    ///
    /// - Parameters:
    ///   - recorded: The requests of the recording, in order.
    ///   - found: The new requests, in order.
    ///   - links: For positions in `found`, the position of the recorded exchange.
    package init(
        _ recorded: [RequestKey],
        _ found: [RequestKey],
        links: [Int: Int] = [:]
    ) {
        self.recorded = recorded
        self.found = found
        partners = Array(repeating: nil, count: recorded.count)
        isPaired = Array(repeating: false, count: found.count)
        countsHosts = !Set(recorded.map(\.host)).isDisjoint(with: found.map(\.host))
        for (position, original) in links.sorted(by: { $0.key < $1.key })
        where recorded.indices.contains(original) && found.indices.contains(position) {
            if partners[original] == nil {
                pair(original, position)
            } else {
                repeats[position] = original
                isPaired[position] = true
            }
        }
        pairSessions()
        pairInOrder(recorded.indices, found.indices, by: exactKey)
        extra = found.indices.filter { !isPaired[$0] }
    }

    private mutating func pair(_ left: Int, _ right: Int) {
        partners[left] = right
        isPaired[right] = true
    }

    private func exactKey(_ key: RequestKey) -> Int {
        countsHosts ? key.exact &+ key.host : key.exact
    }

    // MARK: Sessions

    private mutating func pairSessions() {
        let left = recorded.indices.filter { partners[$0] == nil }
        let right = found.indices.filter { !isPaired[$0] }
        guard !left.isEmpty, !right.isEmpty else { return }
        let sessions = SessionAlignment(
            left.map { recorded[$0] },
            right.map { found[$0] },
            by: exactKey
        )
        for (mine, theirs) in sessions.pairs {
            pairSession(mine.map { left[$0] }, theirs.map { right[$0] })
        }
    }

    /// Pairs the requests of two sessions, which are given by their positions.
    private mutating func pairSession(_ left: [Int], _ right: [Int]) {
        let anchors = SequenceAlignment.pairs(
            left.map { exactKey(recorded[$0]) },
            right.map { exactKey(found[$0]) }
        )
        for anchor in anchors { pair(left[anchor.left], right[anchor.right]) }
        pairInOrder(left, right, by: exactKey)
        var (leftStart, rightStart) = (0, 0)
        for anchor in anchors {
            pairGap(left[leftStart..<anchor.left], right[rightStart..<anchor.right])
            (leftStart, rightStart) = (anchor.left + 1, anchor.right + 1)
        }
        pairGap(left[leftStart...], right[rightStart...])
        pairEquallyMany(left, right)
    }

    private mutating func pairGap(_ left: ArraySlice<Int>, _ right: ArraySlice<Int>) {
        guard !left.isEmpty, !right.isEmpty else { return }
        pairInOrder(left, right, by: \.path)
        pairInOrder(left, right, by: \.route)
    }

    /// Pairs the requests that have no partner yet and equal keys, in their order.
    private mutating func pairInOrder(
        _ left: some Sequence<Int>,
        _ right: some Sequence<Int>,
        by key: (RequestKey) -> Int
    ) {
        var positions: [Int: [Int]] = [:]
        for position in right where !isPaired[position] {
            positions[key(found[position]), default: []].append(position)
        }
        guard !positions.isEmpty else { return }
        for key in positions.keys { positions[key]?.reverse() }
        for position in left where partners[position] == nil {
            guard let partner = positions[key(recorded[position])]?.popLast() else { continue }
            pair(position, partner)
        }
    }

    /// Pairs the remaining requests of each path that remains equally often on both sides.
    private mutating func pairEquallyMany(_ left: [Int], _ right: [Int]) {
        var counts: [Int: Int] = [:]
        for position in left where partners[position] == nil {
            counts[recorded[position].path, default: 0] += 1
        }
        for position in right where !isPaired[position] {
            counts[found[position].path, default: 0] -= 1
        }
        pairInOrder(
            left.filter { counts[recorded[$0].path] == 0 },
            right.filter { counts[found[$0].path] == 0 },
            by: \.path
        )
    }
}

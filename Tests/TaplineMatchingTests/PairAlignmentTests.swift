// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineMatching

/// The pairs of two recordings.
@Suite struct PairAlignmentTests {
    /// A request from a short text: `GET/1` has the route `GET`, the path `GET/1`, no body.
    private func key(_ text: String, session: Int = 0, host: Int = 0) -> RequestKey {
        let parts = text.split(separator: "?")
        return RequestKey(
            exact: text.hashValue,
            path: parts[0].hashValue,
            route: parts[0].split(separator: "/")[0].hashValue,
            host: host,
            session: session
        )
    }

    private func keys(_ text: String, session: Int = 0) -> [RequestKey] {
        text.split(separator: " ").map { key(String($0), session: session) }
    }

    private func partners(_ recorded: String, _ found: String) -> [Int?] {
        PairAlignment(keys(recorded), keys(found)).partners
    }

    @Test(
        arguments: [
            ("a b c", "a b c", [0, 1, 2]),
            ("a b c", "a c", [0, nil, 1]),
            ("a c", "a b c", [0, 2]),
            // A missing repeat does not shift those after the next request.
            ("poll poll buy poll", "poll buy poll", [0, nil, 1, 2]),
            // Requests that were sent side by side.
            ("a b c d", "b a d c", [1, 0, 3, 2]),
            // A new id, between the same requests.
            ("login orders/1 logout", "login orders/9 logout", [0, 1, 2]),
            ("login orders/1 logout", "login logout orders/9", [0, nil, 1]),
            // A new body, and then as many on both sides.
            ("a buy?1 b", "a buy?2 b", [0, 1, 2]),
            ("a buy?1 b", "buy?2 a b", [1, 0, 2]),
            ("", "a", []),
        ] as [(String, String, [Int?])]
    )
    func sequences(recorded: String, found: String, expected: [Int?]) {
        let result = partners(recorded, found)
        if recorded == "poll poll buy poll" {
            // Which of two equal neighbours is missing cannot be known.
            #expect(result[2...] == [1, 2] && result.compactMap(\.self).count == 3)
        } else {
            #expect(result == expected)
        }
    }

    @Test func extraRequestsAreListed() {
        let alignment = PairAlignment(keys("a b"), keys("x a y b z"))
        #expect(alignment.partners == [1, 3])
        #expect(alignment.extra == [0, 2, 4])
    }

    @Test func linksComeFirst() {
        let alignment = PairAlignment(keys("a a a"), keys("b a a"), links: [0: 1, 2: 0, 1: 7])
        #expect(alignment.partners == [2, 0, 1])
        let again = PairAlignment(keys("a b"), keys("a b a a"), links: [0: 0, 1: 1, 2: 0])
        #expect(again.partners == [0, 1] && again.repeats == [2: 0] && again.extra == [3])
    }

    @Test func sessionsArePairedByTheirFirstRequests() {
        // The same requests after logins of two users, whose sessions begin in another order.
        let recorded = [
            key("login?ann", session: 1), key("login?bob", session: 2), key("me", session: 1),
            key("me", session: 2),
        ]
        let found = [
            key("login?bob", session: 8), key("me", session: 8), key("login?ann", session: 9),
            key("me", session: 9),
        ]
        #expect(PairAlignment(recorded, found).partners == [2, 0, 3, 1])
    }

    @Test func hostsCountIfTheRecordingsShareOne() {
        let recorded = [key("a", host: 1), key("a", host: 2)]
        #expect(
            PairAlignment(recorded, [key("a", host: 2), key("a", host: 1)]).partners == [1, 0]
        )
        #expect(
            PairAlignment(recorded, [key("a", host: 3), key("a", host: 4)]).partners == [0, 1]
        )
    }

    /// Deletes, inserts and swaps requests at random, and checks that the others keep their partner.
    @Test(arguments: 0..<50)
    func unchangedRequestsKeepTheirPartner(seed: UInt64) {
        var random = Numbers(state: seed &* 7919 &+ 1)
        // Every request occurs once, so that each one has one right partner.
        let recorded = (0..<300).map { "r\($0 % 7)/\($0)?x" }
        var found = recorded.enumerated().map { ($0.offset, $0.element) }
        var removed: Set<Int> = []
        for number in 0..<20 {
            let position = Int(random.next() % UInt64(found.count))
            switch random.next() % 3 {
            case 0: removed.insert(found.remove(at: position).0)
            case 1: found.insert((-1, "other\(number)"), at: position)
            default:
                let next = (position + 1) % found.count
                found.swapAt(position, next)
            }
        }
        removed.remove(-1)
        let alignment = PairAlignment(
            recorded.map { key($0) },
            found.map { key($0.1) }
        )
        var expected = [Int?](repeating: nil, count: recorded.count)
        for (position, request) in found.enumerated() where request.0 >= 0 {
            expected[request.0] = position
        }
        #expect(alignment.partners == expected)
        #expect(alignment.extra.allSatisfy { found[$0].0 < 0 })
        #expect(alignment.partners.count { $0 == nil } == removed.count)
    }

    /// Compares the length of common subsequences with the textbook's table.
    @Test(arguments: 0..<50)
    func commonSubsequencesAreTheLongest(seed: UInt64) {
        var random = Numbers(state: seed &* 104_729 &+ 3)
        let left = (0..<Int(random.next() % 40)).map { _ in Int(random.next() % 5) }
        let right = (0..<Int(random.next() % 40)).map { _ in Int(random.next() % 5) }
        var table = Array(
            repeating: [Int](repeating: 0, count: right.count + 1),
            count: left.count + 1
        )
        for x in left.indices {
            for y in right.indices {
                table[x + 1][y + 1] =
                    left[x] == right[y] ? table[x][y] + 1 : max(table[x][y + 1], table[x + 1][y])
            }
        }
        let pairs = SequenceAlignment.pairs(left, right)
        #expect(pairs.count == table[left.count][right.count])
        #expect(pairs.allSatisfy { left[$0.left] == right[$0.right] })
        let next = zip(pairs, pairs.dropFirst())
        #expect(next.allSatisfy { $0.left < $1.left && $0.right < $1.right })
    }

    @Test func sequencesThatDifferEverywhereAreAlignedAtTheirEnds() {
        let left = [1, 2] + (1000..<4000) + [3]
        let right = [1, 2] + (5000..<8000) + [3]
        #expect(SequenceAlignment.pairs(left, right).map(\.left) == [0, 1, 3002])
    }
}

/// Numbers that look random and are the same in each run (SplitMix64).
struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }
}

// SPDX-License-Identifier: MIT

/// What answers a request after the last recording of it.
package enum AnswerRepeats: Sendable, Equatable {
    /// The last recording again.
    case last
    /// The first recording, and so on.
    case cycle
    /// None.
    case miss
}

/// The recordings that sessions got last, so that each session gets the next one.
///
/// **Limits**: those of the latest 65,536 to 131,072 sessions and requests; a session that is
/// forgotten begins anew.
struct AnswerSequences: Sendable {
    private static let limit = 65_536

    private var latest: [UInt64: Int32] = [:]
    private var former: [UInt64: Int32] = [:]
    /// How many sessions and requests were forgotten.
    private(set) var forgottenCount = 0

    /// Returns the recording that a session gets next; `nil` if there is none.
    mutating func next(
        of variant: Int32,
        in index: AnswerIndex,
        for session: UInt64,
        _ repeats: AnswerRepeats
    ) -> Int32? {
        let found = index.variants[Int(variant)]
        if found.first == found.last, repeats != .miss { return found.first }
        let key = PartHash.of(session, UInt64(truncatingIfNeeded: variant))
        var number = found.first
        if let served = latest[key] ?? former[key] {
            number = index.following[Int(served)]
            if number < 0 {
                switch repeats {
                case .last: number = served
                case .cycle: number = found.first
                case .miss: return nil
                }
            }
        }
        if latest.count >= Self.limit {
            for key in former.keys where latest[key] == nil { forgottenCount += 1 }
            former = latest
            latest = [:]
        }
        latest[key] = number
        return number
    }
}

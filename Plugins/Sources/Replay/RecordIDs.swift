// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Gives exchanges of a recording their ids.
///
/// A recorded id is kept. Where there is none, it comes from start, content and position, so that
/// a second run makes the same; further passes over a recording make others, again the same in
/// each run. On demand all are new.
struct RecordIDs {
    private let policy: ReplayIDs
    private var random = SystemRandomNumberGenerator()

    init(_ policy: ReplayIDs) { self.policy = policy }

    /// Sets the id of an exchange.
    ///
    /// - Parameters:
    ///   - exchange: The exchange as recorded.
    ///   - bytes: The record's bytes.
    ///   - position: Its position in the recording, from 0.
    ///   - pass: The pass, from 0.
    mutating func identify(
        _ exchange: inout Exchange,
        _ bytes: Span<UInt8>,
        position: Int,
        pass: Int
    ) {
        if policy == .new {
            exchange.id = ExchangeID(
                started: exchange.started,
                random: random.next(),
                random.next()
            )
            return
        }
        guard pass > 0 || exchange.id.isNil else { return }
        exchange.id = RecordID.derived(
            started: exchange.started,
            from: bytes,
            position: position,
            pass: pass
        )
    }
}

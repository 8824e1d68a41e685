// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Assigns ids to the exchanges of a recording.
///
/// A recorded id is kept. Otherwise the id is derived from start time, content and position, so
/// that a second run derives the same id. Further passes derive other ids, again the same in each
/// run. On request, all ids are new.
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

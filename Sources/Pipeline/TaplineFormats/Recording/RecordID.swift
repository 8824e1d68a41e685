// SPDX-License-Identifier: MIT

internal import TaplineCrypto
package import TaplineModel

/// Ids for records that have none, in the same form as recorded ones.
package enum RecordID {
    /// An id derived from start time, content and position.
    ///
    /// The same recording gets the same ids each time it is read.
    ///
    /// - Parameters:
    ///   - started: When the exchange began; ids sort by it.
    ///   - bytes: The record as in the recording.
    ///   - position: Its position in the recording, from 0; distinguishes equal records.
    ///   - pass: How often the recording has been read before in the same run.
    /// - Returns: A version 7 UUID.
    package static func derived(
        started: Timestamp,
        from bytes: Span<UInt8>,
        position: Int,
        pass: Int = 0
    ) -> ExchangeID {
        var hash = SHA256()
        hash.update(bytes)
        var place = InlineArray<16, UInt8>(repeating: 0)
        for (half, number) in [position, pass].enumerated() {
            for index in 0..<8 {
                place[half * 8 + index] = UInt8(truncatingIfNeeded: number >> (56 - index * 8))
            }
        }
        hash.update(place.span)
        let digest = hash.finish()
        return ExchangeID(started: started, random: digest.word0, digest.word1)
    }
}

extension ExchangeID {
    /// Whether this is the nil UUID (RFC 9562 §5.9), which represents an unknown id.
    package var isNil: Bool { high == 0 && low == 0 }
}

extension RawRecords {
    /// The derived id of one of the records.
    ///
    /// - Parameters:
    ///   - index: Its position among these records, from 0.
    ///   - started: When the exchange began.
    ///   - position: Its position in the recording, from 0.
    ///   - pass: How often the recording has been read before in the same run.
    /// - Returns: The id.
    package func derivedID(
        at index: Int,
        started: Timestamp,
        position: Int,
        pass: Int = 0
    ) -> ExchangeID {
        let bytes = bytes(at: index)
        return RecordID.derived(started: started, from: bytes, position: position, pass: pass)
    }
}

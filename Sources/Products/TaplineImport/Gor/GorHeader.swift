// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The line before a message in a file of GoReplay: kind, id, time, latency.
///
/// **Source**: GoReplay, "Saving and replaying from file".
struct GorHeader {
    /// The kinds of messages.
    enum Kind: UInt8 {
        case request = 0x31
        case response = 0x32
        /// The response that a replay received.
        case replayedResponse = 0x33
    }

    let kind: Kind
    /// What connects a request with its responses.
    let id: [UInt8]
    /// When the message began.
    let time: Timestamp
    /// The time between request and response; `nil` if it is not stated.
    let latency: Microseconds?

    /// Parses a line without its end; `nil` if this is no such line.
    init?(_ line: Span<UInt8>) {
        let end = line.count > 0 && line[line.count - 1] == 0x0D ? line.count - 1 : line.count
        guard 5...200 ~= end else { return nil }
        let words = Array(copying: line.extracting(0..<end)).split(separator: 0x20)
        guard 3...5 ~= words.count, words[0].count == 1,
            let kind = Kind(rawValue: words[0][words[0].startIndex]),
            words[1].count >= 8, words[1].allSatisfy({ $0.isDigit || $0.isLetter }),
            let time = Array(words[2]).span.decimal
        else { return nil }
        self.kind = kind
        id = Array(words[1])
        self.time = Timestamp(microseconds: Int64(time) / 1000)
        let stated = words.count > 3 ? Array(words[3]).span.decimal : nil
        latency = stated.flatMap { $0 > 0 ? Microseconds(Int64($0) / 1000) : nil }
    }
}

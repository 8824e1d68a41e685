// SPDX-License-Identifier: MIT

/// What the reply subject of a delivered message states about it.
///
/// **Source**: ADR-15 of NATS: `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer
/// sequence>.<time>.<pending>`, or the newer form with a domain and an account before the stream.
package struct NATSReply: Sendable, Equatable {
    /// How often the message has been delivered, from 1.
    package private(set) var deliveries = 0
    /// Its position in the stream, from 1.
    package private(set) var position = 0
    /// When the server has stored it, in microseconds since 1970.
    package private(set) var stored: Int64 = 0
    /// The number of later messages for the consumer.
    package private(set) var pending = 0

    /// Parses a reply subject; `nil` if it has another form.
    package init?(_ subject: Span<UInt8>) {
        var tokens = 1
        for index in subject.indices where subject[index] == UInt8(ascii: ".") { tokens += 1 }
        guard tokens == 9 || tokens >= 11 else { return nil }
        let first = tokens == 9 ? 4 : 6
        var token = 0
        var value = 0
        for index in 0...subject.count {
            if index == subject.count || subject[index] == UInt8(ascii: ".") {
                set(token - first, value)
                token += 1
                value = 0
            } else if first..<first + 5 ~= token {
                let digit = Int(subject[index]) - 0x30
                let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                let (sum, isLarger) = tens.addingReportingOverflow(digit)
                guard 0...9 ~= digit, !isTooLarge, !isLarger else { return nil }
                value = sum
            }
        }
    }

    private mutating func set(_ index: Int, _ value: Int) {
        switch index {
        case 0: deliveries = value
        case 1: position = value
        case 3: stored = Int64(value / 1000)
        case 4: pending = value
        default: break
        }
    }
}

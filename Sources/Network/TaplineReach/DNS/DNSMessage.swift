// SPDX-License-Identifier: MIT

package import TaplineNet

/// The parts of a DNS message that a forwarder needs.
///
/// Any bytes may be parsed: what violates the rules, or has more than one question, is `nil`.
///
/// **Source**: RFC 1035 §4.
package struct DNSMessage: Sendable, Equatable {
    /// The types of records that matter here (RFC 1035 §3.2.2, RFC 3596, RFC 9460).
    package enum RecordType {
        package static let a: UInt16 = 1
        package static let aaaa: UInt16 = 28
        package static let svcb: UInt16 = 64
        package static let https: UInt16 = 65
    }

    /// The response codes that are written here (RFC 1035 §4.1.1).
    package enum ResponseCode: UInt8, Sendable {
        case noError = 0
        case serverFailure = 2
        case notImplemented = 4
    }

    /// The number that a response repeats.
    package let id: UInt16
    /// Whether it is a response.
    package let isResponse: Bool
    /// Whether the response was cut, since it does not fit into a datagram.
    package let isTruncated: Bool
    /// The type of the question.
    package let type: UInt16
    /// The name of the question in lower case, without the last dot; `nil` if it is not the name of
    /// a host.
    package let name: String?
    /// The question with its type and class, as received.
    package let question: [UInt8]
    private let operation: UInt8
    private let wantsRecursion: Bool

    private static let headerBytes = 12
    private static let maxName = 255

    /// Parses a message; `nil` if it is not one with exactly one question.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerBytes, Self.number(bytes, at: 4) == 1,
            let end = Self.endOfName(bytes, from: Self.headerBytes), end + 4 <= bytes.count
        else { return nil }
        id = Self.number(bytes, at: 0)
        isResponse = bytes[2] & 0x80 != 0
        isTruncated = bytes[2] & 0x02 != 0
        wantsRecursion = bytes[2] & 0x01 != 0
        operation = bytes[2] & 0x78
        type = Self.number(bytes, at: end)
        let whole = bytes.extracting(Self.headerBytes..<(end + 4))
        var question: [UInt8] = []
        question.reserveCapacity(whole.count)
        for index in whole.indices { question.append(whole[index]) }
        self.question = question
        name = Self.text(bytes, from: Self.headerBytes)
    }

    /// Whether it is a standard query, and not an update or a notice (RFC 2136, RFC 1996).
    package var isStandardQuery: Bool { operation == 0 }

    /// Whether it asks for the parameters of a service, which announce HTTP/3 (RFC 9460).
    package var asksForService: Bool {
        type == RecordType.https || type == RecordType.svcb
    }

    /// Returns whether this is a response to a query.
    package func answers(_ query: DNSMessage) -> Bool {
        isResponse && id == query.id && question == query.question
    }

    /// Returns whether a message is a response to this query.
    ///
    /// Some servers leave out the question if they refuse a query (RFC 9619 allows none or one).
    package func isAnswered(by bytes: Span<UInt8>) -> Bool {
        if let message = DNSMessage(bytes) { return message.answers(self) }
        guard bytes.count >= Self.headerBytes else { return false }
        let (isResponse, code) = (bytes[2] & 0x80 != 0, bytes[3] & 0x0F)
        return isResponse && Self.number(bytes, at: 0) == id && Self.number(bytes, at: 4) == 0
            && code != ResponseCode.noError.rawValue
    }

    /// Returns a response to this query without records.
    package func response(_ code: ResponseCode) -> [UInt8] {
        let flags: UInt8 = 0x80 | operation | (wantsRecursion ? 1 : 0)
        let head: [UInt8] = [
            UInt8(truncatingIfNeeded: id >> 8), UInt8(truncatingIfNeeded: id),
            // Recursion is available.
            flags, 0x80 | code.rawValue, 0, 1, 0, 0, 0, 0, 0, 0,
        ]
        return head + question
    }

    /// Returns the addresses among the answers of a response; empty if it violates the rules.
    package static func addresses(in bytes: Span<UInt8>) -> [IPAddress] {
        guard bytes.count >= headerBytes, number(bytes, at: 4) == 1,
            let end = endOfName(bytes, from: headerBytes), end + 4 <= bytes.count
        else { return [] }
        var found: [IPAddress] = []
        var position = end + 4
        // Each record has at least 11 bytes, so the loop ends with the message.
        for _ in 0..<number(bytes, at: 6) {
            guard let start = endOfName(bytes, from: position), start + 10 <= bytes.count else {
                break
            }
            let length = Int(number(bytes, at: start + 8))
            let data = start + 10
            guard data + length <= bytes.count else { break }
            let isInternet = number(bytes, at: start + 2) == 1
            switch (number(bytes, at: start), length) {
            case (RecordType.a, 4) where isInternet:
                let value = wide(bytes, at: data, count: 4)
                found.append(IPAddress(v4: UInt32(truncatingIfNeeded: value)))
            case (RecordType.aaaa, 16) where isInternet:
                let (high, low) = (
                    wide(bytes, at: data, count: 8), wide(bytes, at: data + 8, count: 8)
                )
                found.append(IPAddress(v6High: high, low: low))
            default: break
            }
            position = data + length
        }
        return found
    }

    // MARK: Reading

    private static func number(_ bytes: Span<UInt8>, at position: Int) -> UInt16 {
        UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    private static func wide(_ bytes: Span<UInt8>, at position: Int, count: Int) -> UInt64 {
        (position..<position + count).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// Returns the position after a name, which may end with a pointer (RFC 1035 §4.1.4); `nil` if
    /// it violates the rules.
    private static func endOfName(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        while position < bytes.count, position - start <= maxName {
            let length = Int(bytes[position])
            switch length {
            case 0: return position + 1
            case 1...63: position += 1 + length
            case 0xC0...: return position + 2 <= bytes.count ? position + 2 : nil
            default: return nil
            }
        }
        return nil
    }

    /// Returns the name of the question as text; `nil` if it has a pointer, or bytes that no host
    /// name has.
    private static func text(_ bytes: Span<UInt8>, from start: Int) -> String? {
        var text = ""
        var position = start
        while position < bytes.count {
            let length = Int(bytes[position])
            if length == 0 { return text.isEmpty ? nil : text }
            guard length <= 63, position + length < bytes.count else { return nil }
            if !text.isEmpty { text.append(".") }
            for index in position + 1...position + length {
                guard let letter = hostLetter(bytes[index]) else { return nil }
                text.unicodeScalars.append(letter)
            }
            position += 1 + length
        }
        return nil
    }

    private static func hostLetter(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F: Unicode.Scalar(byte)
        case 0x41...0x5A: Unicode.Scalar(byte | 0x20)
        default: nil
        }
    }
}

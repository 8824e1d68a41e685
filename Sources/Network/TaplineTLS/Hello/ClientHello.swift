// SPDX-License-Identifier: MIT

/// The first message of a client in a TLS handshake, parsed without taking part in the handshake.
///
/// A proxy uses it to decide whether to terminate TLS or to pass it on. The bytes stay unchanged
/// for the code that then talks to the client.
///
/// **Source**: RFC 8446 §4.1.2, and RFC 5246 §7.4.1.2 for clients of TLS 1.2.
package struct ClientHello: Sendable, Equatable {
    /// The requested host name, as received (RFC 6066 §3); `nil` if there is none.
    package internal(set) var serverName: String?
    /// The application protocols that the client offers, in its order (RFC 7301); names may be any
    /// bytes.
    package internal(set) var applicationProtocols: [String] = []
    /// The versions that the client offers, in their wire form: 0x0304 is TLS 1.3.
    package internal(set) var versions: [UInt16] = []

    /// What identifies the client's software: the cipher suites, groups, signature algorithms and
    /// versions that it offers, in its order, and the kinds of its extensions, sorted.
    ///
    /// It is the same for all connections of one program: the order of the extensions, which some
    /// programs shuffle, does not matter, and what changes with each connection is left out, such as
    /// the values of GREASE (RFC 8701 §2), the host and its session.
    package internal(set) var fingerprint: [UInt16] = []

    private var groups: [UInt16] = []
    private var signatureAlgorithms: [UInt16] = []

    /// Whether the client accepts HTTP/1: it offers that, or no application protocol at all.
    package var takesHTTP1: Bool {
        applicationProtocols.isEmpty
            || applicationProtocols.contains { $0 == "http/1.1" || $0 == "http/1.0" }
    }

    /// Whether the client offers HTTP/2.
    package var offersHTTP2: Bool { applicationProtocols.contains("h2") }

    /// The result of inspecting the first bytes of a connection.
    package enum Finding: Sendable, Equatable {
        /// The bytes may be TLS, but more are needed.
        case incomplete
        /// The client's complete first message.
        case hello(ClientHello)
        /// The bytes are not TLS.
        case notTLS
        /// The bytes begin like TLS but violate its rules, or exceed the limit.
        case malformed
    }

    /// Inspects the bytes that a client has sent so far, from the first one on.
    ///
    /// - Parameters:
    ///   - bytes: The bytes received so far; bytes after the message are ignored.
    ///   - maxBytes: The maximum length of the message with its record headers.
    /// - Returns: The finding, which depends only on the bytes and not on how they were split.
    package static func peek(_ bytes: Span<UInt8>, maxBytes: Int = 32_768) -> Finding {
        // Bytes after the limit are ignored, so that it does not matter how the bytes are split.
        let count = min(bytes.count, maxBytes)
        var message: [UInt8] = []
        var position = 0
        while true {
            // A record: type 22 (handshake), version 3.x, length up to 2^14 (RFC 8446 §5.1).
            guard position < count else { return limited(bytes, maxBytes) }
            guard bytes[position] == 22 else { return position == 0 ? .notTLS : .malformed }
            guard position + 1 < count else { return limited(bytes, maxBytes) }
            guard bytes[position + 1] == 3 else { return position == 0 ? .notTLS : .malformed }
            guard position + 5 <= count else { return limited(bytes, maxBytes) }
            let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
            guard length > 0, length <= 16_384 else { return .malformed }
            let end = min(position + 5 + length, count)
            for index in position + 5..<end { message.append(bytes[index]) }
            if let first = message.first, first != 1 { return .malformed }
            if message.count >= 4 {
                let size = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
                guard size + 4 <= maxBytes else { return .malformed }
                if message.count >= size + 4 {
                    return parse(message, size + 4).map(Finding.hello) ?? .malformed
                }
            }
            guard end == position + 5 + length else { return limited(bytes, maxBytes) }
            position = end
        }
    }

    private static func limited(_ bytes: Span<UInt8>, _ maxBytes: Int) -> Finding {
        bytes.count < maxBytes ? .incomplete : .malformed
    }

    /// Parses the message; `nil` if it violates the rules.
    private static func parse(_ message: [UInt8], _ end: Int) -> ClientHello? {
        var reader = HelloReader(message, 4..<end)
        guard let version = reader.number(bytes: 2), reader.skip(32),
            reader.vector(lengthBytes: 1) != nil, let ciphers = reader.vector(lengthBytes: 2),
            reader.vector(lengthBytes: 1) != nil
        else { return nil }
        var hello = ClientHello()
        hello.versions = [UInt16(version)]
        // A client of TLS 1.2 may omit the extensions.
        guard !reader.isAtEnd else {
            hello.identify(by: ciphers.numbers(), [])
            return hello
        }
        guard var extensions = reader.vector(lengthBytes: 2), reader.isAtEnd else { return nil }
        var seen: Set<Int> = []
        while !extensions.isAtEnd {
            guard let kind = extensions.number(bytes: 2), seen.insert(kind).inserted,
                var content = extensions.vector(lengthBytes: 2),
                hello.take(kind, &content)
            else { return nil }
        }
        hello.identify(by: ciphers.numbers(), seen)
        return hello
    }

    /// The kinds of extensions that only some connections of a program have: the host, padding
    /// (RFC 7685), and a session that is resumed, with its early data and a cookie (RFC 8446 §4.2).
    private static let changing: Set<Int> = [0, 21, 35, 41, 42, 44]

    private static func isGREASE(_ value: UInt16) -> Bool { value & 0x0F0F == 0x0A0A }

    /// Sets the fingerprint, once all extensions are read.
    private mutating func identify(by ciphers: [UInt16], _ extensions: Set<Int>) {
        let kinds = extensions.subtracting(Self.changing).map { UInt16(clamping: $0) }.sorted()
        for list in [ciphers, groups, signatureAlgorithms, versions, kinds] {
            let numbers = list.filter { !Self.isGREASE($0) }
            fingerprint.append(UInt16(clamping: numbers.count))
            fingerprint += numbers
        }
    }

    /// Reads an extension; false if it violates the rules.
    private mutating func take(_ kind: Int, _ content: inout HelloReader) -> Bool {
        switch kind {
        case 0: takeServerName(&content)
        case 10: Self.take(&content, into: &groups)
        case 13: Self.take(&content, into: &signatureAlgorithms)
        case 16: takeProtocols(&content)
        case 43: takeVersions(&content)
        default: true
        }
    }

    /// RFC 6066 §3: a list with at most one name of each type; the only type is 0.
    private mutating func takeServerName(_ content: inout HelloReader) -> Bool {
        guard var list = content.vector(lengthBytes: 2), content.isAtEnd, !list.isAtEnd else {
            return false
        }
        while !list.isAtEnd {
            guard let type = list.number(bytes: 1), var name = list.vector(lengthBytes: 2) else {
                return false
            }
            guard type == 0 else { continue }
            guard serverName == nil, !name.isAtEnd else { return false }
            serverName = name.rest()
        }
        return true
    }

    /// RFC 8446 §4.2.3 and §4.2.7: a list of numbers, whose rules do not matter here.
    private static func take(_ content: inout HelloReader, into numbers: inout [UInt16]) -> Bool {
        numbers = content.vector(lengthBytes: 2)?.numbers() ?? []
        return true
    }

    /// RFC 7301 §3.1: names of 1 to 255 bytes.
    private mutating func takeProtocols(_ content: inout HelloReader) -> Bool {
        guard var list = content.vector(lengthBytes: 2), content.isAtEnd, !list.isAtEnd else {
            return false
        }
        while !list.isAtEnd {
            guard var name = list.vector(lengthBytes: 1), !name.isAtEnd else { return false }
            applicationProtocols.append(name.rest())
        }
        return true
    }

    /// RFC 8446 §4.2.1: replaces the version in the message itself.
    private mutating func takeVersions(_ content: inout HelloReader) -> Bool {
        guard var list = content.vector(lengthBytes: 1), content.isAtEnd, !list.isAtEnd else {
            return false
        }
        versions = []
        while !list.isAtEnd {
            guard let version = list.number(bytes: 2) else { return false }
            versions.append(UInt16(version))
        }
        return true
    }
}

/// Reads a part of a message: numbers, and length-prefixed vectors (RFC 8446 §3).
private struct HelloReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// Reads a range, which has to be within the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    mutating func skip(_ count: Int) -> Bool {
        guard end - position >= count else { return false }
        position += count
        return true
    }

    /// Reads a number of up to three bytes.
    mutating func number(bytes count: Int) -> Int? {
        let start = position
        guard skip(count) else { return nil }
        return bytes[start..<position].reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func vector(lengthBytes: Int) -> HelloReader? {
        guard let length = number(bytes: lengthBytes) else { return nil }
        let start = position
        guard skip(length) else { return nil }
        return HelloReader(bytes, start..<position)
    }

    /// Returns the remaining numbers of two bytes.
    func numbers() -> [UInt16] {
        var reader = self
        var numbers: [UInt16] = []
        while let number = reader.number(bytes: 2) { numbers.append(UInt16(number)) }
        return numbers
    }

    /// Reads the remaining bytes as text.
    mutating func rest() -> String {
        defer { position = end }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }
}

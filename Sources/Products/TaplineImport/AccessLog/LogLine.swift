// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// A line of the formats `common`, `combined` and `vhost_combined`.
///
/// **Source**: nginx, `ngx_http_log_module`; Apache, `mod_log_config` and the configuration of
/// Debian's package.
enum LogLine {
    /// Parses a line without its end.
    ///
    /// - Throws: `RecordError` with the byte in the line.
    static func entry(_ line: Span<UInt8>) throws(RecordError) -> LoggedRequest {
        var cursor = LogCursor(Array(copying: line))
        var entry = LoggedRequest()
        try readStart(&cursor, &entry)
        // Swift 6.3 fails to compile a span of the result of a throwing call.
        let request = try cursor.quoted("the request")
        entry.setLine(request.span)
        let statusPlace = cursor.position
        let status = try cursor.word("a status code")
        guard status.count == 3, let number = status.span.decimal else {
            throw .shape("wrong status; expected three digits", at: statusPlace)
        }
        entry.status = number
        let sizePlace = cursor.position
        let size = try cursor.word("a size")
        if size != [.ascii("-")] {
            guard let number = size.span.decimal, number <= 1 << 50 else {
                throw .shape("wrong size; expected a number of bytes or '-'", at: sizePlace)
            }
            entry.size = number
        }
        for name in ["Referer", "User-Agent", "X-Forwarded-For"] where !cursor.isAtEnd {
            let value = try cursor.quoted("the field \(name)")
            entry.add(name, value.span)
        }
        guard cursor.isAtEnd else {
            throw .shape(
                "unknown format of an access log; expected the end of the line",
                at: cursor.position
            )
        }
        return entry
    }

    /// Reads what is before the request: server, client, identity, user and time.
    private static func readStart(
        _ cursor: inout LogCursor,
        _ entry: inout LoggedRequest
    ) throws(RecordError) {
        var words: [[UInt8]] = []
        while !cursor.isAt(.ascii("[")) {
            guard words.count < 4 else {
                throw .shape(
                    "unknown format of an access log; expected a time in brackets",
                    at: cursor.position
                )
            }
            words.append(try cursor.word("an address, a user or a time in brackets"))
        }
        guard words.count >= 3 else {
            throw .shape("unknown format of an access log; expected address, identity, user", at: 0)
        }
        if words.count == 4 {
            let server = ByteString(words.removeFirst())
            let port = AuthorityParts(server.span).port.flatMap {
                server.span.extracting($0).decimal
            }
            entry.scheme = port == 443 ? "https" : "http"
            entry.authority = server
            if port == 443 || port == 80 {
                let host = server.span.extracting(AuthorityParts(server.span).host)
                entry.authority = ByteString(host)
            }
        }
        entry.client = String(decoding: words[0], as: UTF8.self)
        if words[2] != [.ascii("-")] { entry.user = String(decoding: words[2], as: UTF8.self) }
        let place = cursor.position
        let text = try cursor.bracketed()
        guard let time = Timestamp(accessLog: text.span) else {
            throw .shape(
                "wrong time; expected a time as in [10/Oct/2026:13:55:36 +0000]",
                at: place
            )
        }
        entry.time = time
    }
}

/// Reads the parts of a line that are separated by spaces.
struct LogCursor {
    private let bytes: [UInt8]
    /// The byte of the next part.
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    func isAt(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

    /// The bytes up to the next space, at least one.
    mutating func word(_ expected: String) throws(RecordError) -> [UInt8] {
        let start = position
        while position < bytes.count, bytes[position] != 0x20 { position += 1 }
        guard position > start else {
            throw .shape("unknown format of an access log; expected \(expected)", at: start)
        }
        defer { skipSpaces() }
        return Array(bytes[start..<position])
    }

    /// The bytes between brackets.
    mutating func bracketed() throws(RecordError) -> [UInt8] {
        let start = position + 1
        guard isAt(.ascii("[")), let end = bytes.span.firstIndex(of: .ascii("]"), from: start)
        else {
            throw .shape("unknown format of an access log; expected brackets", at: position)
        }
        position = end + 1
        skipSpaces()
        return Array(bytes[start..<end])
    }

    /// The bytes between quotes, without the escapes of nginx (`\x22`) and Apache (`\"`).
    mutating func quoted(_ expected: String) throws(RecordError) -> [UInt8] {
        let start = position
        guard isAt(.ascii("\"")) else {
            throw .shape(
                "unknown format of an access log; expected \(expected) in quotes",
                at: start
            )
        }
        var output: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == .ascii("\"") {
                skipSpaces()
                return output
            }
            output.append(byte == .ascii("\\") ? escaped() : byte)
        }
        throw .shape("a quote has no end", at: start)
    }

    /// The byte of an escape after its backslash.
    private mutating func escaped() -> UInt8 {
        guard position < bytes.count else { return .ascii("\\") }
        let byte = bytes[position]
        switch byte {
        case .ascii("\""), .ascii("\\"):
            position += 1
            return byte
        case .ascii("x") where position + 2 < bytes.count:
            guard let high = bytes[position + 1].hexDigit, let low = bytes[position + 2].hexDigit
            else { return .ascii("\\") }
            position += 3
            return high << 4 | low
        case .ascii("n"), .ascii("t"), .ascii("r"):
            position += 1
            return byte == .ascii("n") ? 0x0A : byte == .ascii("t") ? 0x09 : 0x0D
        default: return .ascii("\\")
        }
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == 0x20 { position += 1 }
    }
}

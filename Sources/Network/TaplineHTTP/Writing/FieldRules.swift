// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Decides which fields of a message are forwarded, and writes the fields that replace others.
struct FieldRules {
    private let side: HTTPError.Side
    private let connection: ConnectionWriting
    /// The options in the message's Connection fields.
    private var options: ConnectionOptions = []
    /// Whether TE allows trailers.
    private(set) var acceptsTrailers = false
    /// Whether Host was written, or must not be written again.
    private(set) var hasHost = false
    private var replacesHost = false
    private var hasLength = false
    /// Whether Content-Length stays, since it describes a body that is not sent.
    var keepsLength = false

    init(_ side: HTTPError.Side, _ fields: borrowing FieldSection, _ connection: ConnectionWriting)
    {
        self.side = side
        self.connection = connection
        for position in fields.indices where fields.name(at: position).isName("connection") {
            options.formUnion(ofField: fields.value(at: position))
        }
    }

    /// Writes Host, and omits any other Host after it.
    @_lifetime(output: copy output)
    mutating func replaceHost(
        _ host: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        // RFC 9112 §3.2: host and port. Readers would interpret user-info differently.
        guard Authority(host) != nil else { throw HTTPError(.invalidHost, side) }
        output.append("Host: ")
        output.append(copying: host)
        output.append("\r\n")
        hasHost = true
        replacesHost = true
    }

    /// Writes the forwarded fields, in order.
    @_lifetime(output: copy output)
    mutating func write(
        _ fields: borrowing FieldSection,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            guard try forwards(FieldKind(name), name, value, of: fields) else { continue }
            try Self.writeField(name, value, side, into: &output)
        }
    }

    /// Returns whether a field is forwarded; each field is asked about once, in order.
    @inline(__always)
    mutating func forwards(
        _ kind: FieldKind,
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        of fields: borrowing FieldSection
    ) throws(HTTPError) -> Bool {
        if kind != .other, try !goesOn(kind, value) { return false }
        return !options.contains(.fields) || !kind.isListable
            || !fields.lists("connection".utf8.span, name)
    }

    /// Returns whether a field that affects the connection is forwarded.
    private mutating func goesOn(_ kind: FieldKind, _ value: Span<UInt8>) throws(HTTPError) -> Bool
    {
        switch kind {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding: return false
        case .contentLength:
            guard keepsLength else { return false }
            if hasLength { throw HTTPError(.duplicateContentLength, side) }
            guard value.decimal != nil else { throw HTTPError(.invalidContentLength, side) }
            hasLength = true
            return true
        case .proxyAuthorization: return side == .response
        case .upgrade: return connection == .upgrade
        case .te:
            // RFC 9110 §10.1.4: TE applies to this connection; only `trailers` is kept.
            var elements = ListElements(value)
            while let range = elements.next() {
                if value.extracting(range).equalsIgnoringCase("trailers") { acceptsTrailers = true }
            }
            return false
        case .host where side == .request:
            if replacesHost { return false }
            // RFC 9112 §3.2: one Host field, and a valid one; a script may have set others.
            if hasHost { throw HTTPError(.duplicateHost, side) }
            guard Authority(value) != nil else { throw HTTPError(.invalidHost, side) }
            hasHost = true
            return true
        default: return true
        }
    }

    /// Writes Connection, and TE if it allows trailers.
    @_lifetime(output: copy output)
    func writeConnection(into output: inout OutputSpan<UInt8>) {
        if acceptsTrailers { output.append("TE: trailers\r\n") }
        let option: StaticString
        switch connection {
        case .persist: option = acceptsTrailers ? "TE" : ""
        case .keepAlive: option = acceptsTrailers ? "keep-alive, TE" : "keep-alive"
        case .close: option = acceptsTrailers ? "close, TE" : "close"
        case .upgrade: option = acceptsTrailers ? "upgrade, TE" : "upgrade"
        }
        if option.utf8CodeUnitCount == 0 { return }
        output.append("Connection: ")
        output.append(option)
        output.append("\r\n")
    }

    /// Writes Via, if requested: the version of the received message, and our name.
    ///
    /// **Source**: RFC 9110 §7.6.3.
    @_lifetime(output: copy output)
    func writeVia(
        _ version: ByteString,
        _ name: ByteString?,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        let isOld = version.span.isExactly("HTTP/1.0")
        let isSecond = version.span.isExactly("HTTP/2")
        let start: StaticString = isOld ? "Via: 1.0 " : isSecond ? "Via: 2 " : "Via: 1.1 "
        try writeValue(start, name, into: &output)
    }

    /// Returns the version in Via of a received message.
    static func viaVersion(_ version: ByteString) -> StaticString {
        if version.span.isExactly("HTTP/2") { return "2" }
        return version.span.isExactly("HTTP/1.0") ? "1.0" : "1.1"
    }

    /// Writes a field with a value of our own, if there is one.
    @_lifetime(output: copy output)
    func writeValue(
        _ name: StaticString,
        _ value: ByteString?,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        guard let value else { return }
        let bytes = value.span
        guard bytes.endOfText(from: 0) == bytes.count else {
            throw HTTPError(.invalidFieldValue, side)
        }
        output.append(name)
        output.append(copying: bytes)
        output.append("\r\n")
    }

    /// Writes one field line.
    ///
    /// A line that could break the message is refused.
    @_lifetime(output: copy output)
    static func writeField(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        _ side: HTTPError.Side,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        if let code = output.appendField(name, value) { throw HTTPError(code, side) }
    }

    @_lifetime(output: copy output)
    static func writeLength(
        _ length: Int,
        _ side: HTTPError.Side,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        guard length >= 0 else { throw HTTPError(.invalidContentLength, side) }
        output.append("Content-Length: ")
        output.appendDecimal(length)
        output.append("\r\n")
    }

    @_lifetime(output: copy output)
    static func writeChunked(into output: inout OutputSpan<UInt8>) {
        output.append("Transfer-Encoding: chunked\r\n")
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a nonnegative number in decimal.
    @_lifetime(self: copy self)
    mutating func appendDecimal(_ number: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = number
        repeat {
            start -= 1
            digits[start] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(copying: digits.span.extracting(start..<20))
    }
}

// SPDX-License-Identifier: MIT

package import TaplineModel

/// Writes messages as lists of fields for HTTP/2, by the rules of `HeadWriter`.
///
/// **Shape**: names become lower case, Host becomes `:authority`, and fields of an HTTP/1
/// connection are omitted (RFC 9113 §8.2.2), as well as HTTP2-Settings. A writer is used for many
/// messages and keeps its memory; each message replaces the previous one.
///
/// **Throws**: as `HeadWriter`; the lists are then incomplete.
package struct FieldListWriter {
    /// The names and values.
    package private(set) var bytes: [UInt8] = []
    /// The positions of the fields in `bytes`.
    package private(set) var lines: [FieldSection.Line] = []

    /// Makes a writer without a message.
    package init() {}

    /// Writes a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - writing: How it is written; `connection` is ignored, and of the framings only a length
    ///     is written.
    ///   - connectProtocol: The protocol of an extended CONNECT (RFC 8441); empty for others.
    /// - Throws: Why the request cannot be written.
    package mutating func write(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        connectProtocol: ByteString = ByteString()
    ) throws(HTTPError) {
        let size = HeadWriter.maximumSize(of: request, writing) + connectProtocol.count
        var output = try begin(size)
        defer { end(&output) }
        try output.write(request, writing, connectProtocol)
    }

    /// Writes the final head of a response.
    package mutating func write(
        _ response: borrowing Response,
        _ writing: ResponseWriting
    ) throws(HTTPError) {
        // RFC 9113 §8.6: there is no 101, and 1xx is not final.
        guard 200...999 ~= response.status else {
            throw HTTPError(.malformedStatusLine, .response)
        }
        var output = try begin(HeadWriter.maximumSize(of: response, writing))
        defer { end(&output) }
        try output.write(response, writing)
    }

    /// Writes an interim response (RFC 9110 §15.2).
    package mutating func write(
        _ interim: InterimResponse,
        via: ByteString? = nil
    ) throws(HTTPError) {
        guard 100..<200 ~= interim.status, interim.status != 101 else {
            throw HTTPError(.conflictingFraming, .response)
        }
        let response = Response(status: interim.status, fields: interim.fields)
        let writing = ResponseWriting(via: via)
        var output = try begin(HeadWriter.maximumSize(of: response, writing))
        defer { end(&output) }
        try output.write(response, writing)
    }

    /// Writes trailers.
    ///
    /// Those that would change how a message is read are omitted (RFC 9110 §6.5.1).
    package mutating func write(
        trailers: borrowing FieldSection,
        _ side: HTTPError.Side
    ) throws(HTTPError) {
        var output = try begin(trailers.byteCount)
        defer { end(&output) }
        for position in trailers.indices {
            let name = trailers.name(at: position)
            guard ChunkWriter.mayTrail(name) else { continue }
            try output.append(name, trailers.value(at: position), side)
        }
    }

    /// Begins a message that has at most this size, in the memory of the previous one.
    private mutating func begin(_ size: Int) throws(HTTPError) -> FieldListOutput {
        guard size < Int(UInt32.max) else { throw HTTPError(.headTooLarge, .request) }
        var output = FieldListOutput(bytes: bytes, lines: lines)
        bytes = []
        lines = []
        output.bytes.removeAll(keepingCapacity: true)
        output.lines.removeAll(keepingCapacity: true)
        output.bytes.reserveCapacity(size)
        return output
    }

    /// Keeps the message that was written.
    private mutating func end(_ output: inout FieldListOutput) {
        swap(&bytes, &output.bytes)
        swap(&lines, &output.lines)
    }
}

/// The list that is being written.
private struct FieldListOutput: ~Copyable {
    var bytes: [UInt8]
    var lines: [FieldSection.Line]

    /// Writes a request.
    mutating func write(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        _ connectProtocol: ByteString
    ) throws(HTTPError) {
        let method = request.method.span
        guard !method.isEmpty, method.endOfToken(from: 0) == method.count else {
            throw HTTPError(.invalidMethod, .request)
        }
        append(":method", method)
        try writeTarget(request, writing, connectProtocol)
        var rules = FieldRules(.request, request.fields, .persist)
        try writeFields(request.fields, &rules, .request)
        if writing.form == .authority || !connectProtocol.isEmpty, writing.framing.hasBody {
            throw HTTPError(.bodyOfConnect, .request)
        }
        if case .length(let length) = writing.framing { try writeLength(length, .request) }
        try writeVia(request.version, writing.via, .request)
        if let value = writing.proxyAuthorization {
            try append("proxy-authorization".utf8.span, value.span, .request)
        }
        if rules.acceptsTrailers { append("te", "trailers".utf8.span) }
    }

    /// Writes a response.
    mutating func write(
        _ response: borrowing Response,
        _ writing: ResponseWriting
    ) throws(HTTPError) {
        append(":status", decimal: response.status)
        let hasNoBody =
            writing.becomesTunnel
            || !Response.allowsContent(response.status, isHead: writing.answersHead)
        if hasNoBody, writing.framing.hasBody { throw HTTPError(.conflictingFraming, .response) }
        var rules = FieldRules(.response, response.fields, .persist)
        // RFC 9110 §8.6: Content-Length of HEAD and 304 describes a body that is not sent.
        rules.keepsLength = hasNoBody && (writing.answersHead || response.status == 304)
        try writeFields(response.fields, &rules, .response)
        if !hasNoBody, case .length(let length) = writing.framing {
            try writeLength(length, .response)
        }
        try writeVia(response.version, writing.via, .response)
    }

    /// Writes scheme, authority and path (RFC 9113 §8.3.1).
    private mutating func writeTarget(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        _ connectProtocol: ByteString
    ) throws(HTTPError) {
        let isTunnel = writing.form == .authority && connectProtocol.isEmpty
        guard request.method.span.isExactly("CONNECT") == (isTunnel || !connectProtocol.isEmpty)
        else { throw HTTPError(.invalidTargetForm, .request) }
        var authority = writing.host ?? request.authority
        let fields = request.fields
        if !isTunnel, writing.host == nil, let host = fields.firstIndex(of: "host".utf8.span) {
            authority = ByteString(fields.value(at: host))
        }
        guard let parts = Authority(authority.span), !isTunnel || parts.port != nil else {
            throw HTTPError(.invalidAuthority, .request)
        }
        if isTunnel {
            append(":authority", authority.span)
            return
        }
        let scheme = request.scheme.span
        guard scheme.endOfToken(from: 0) == scheme.count else {
            throw HTTPError(.invalidTarget, .request)
        }
        if scheme.isEmpty { append(":scheme", "http".utf8.span) } else { append(":scheme", scheme) }
        append(":authority", authority.span)
        try writePath(request, writing)
        if !connectProtocol.isEmpty {
            try append(":protocol".utf8.span, connectProtocol.span, .request, isPseudo: true)
        }
    }

    private mutating func writePath(
        _ request: borrowing Request,
        _ writing: RequestWriting
    ) throws(HTTPError) {
        let target = request.target.span
        if !target.isEmpty, target[0] == .ascii("/") {
            guard target.endOfTarget(from: 0) == target.count else {
                throw HTTPError(.invalidTarget, .request)
            }
            append(":path", target)
            return
        }
        let start = bytes.count
        let request = copy request
        try bytes.append(addingCapacity: request.target.count + 16) {
            (output: inout OutputSpan<UInt8>) throws(HTTPError) in
            output.append(":path")
            let form: TargetForm = writing.form == .asterisk ? .asterisk : .origin
            try HeadWriter.writeTarget(request, form, into: &output)
        }
        addLine(start, nameCount: 5)
    }

    /// Writes the forwarded fields, in order.
    private mutating func writeFields(
        _ fields: borrowing FieldSection,
        _ rules: inout FieldRules,
        _ side: HTTPError.Side
    ) throws(HTTPError) {
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            let kind = FieldKind(name)
            guard try rules.forwards(kind, name, value, of: fields) else { continue }
            if kind == .host, side == .request { continue }
            // RFC 9113 §3.1: obsolete; only for an upgrade from HTTP/1.
            if name.count == 14, name.equalsIgnoringCase("http2-settings") { continue }
            try append(name, value, side)
        }
    }

    private mutating func writeLength(_ length: Int, _ side: HTTPError.Side) throws(HTTPError) {
        guard length >= 0 else { throw HTTPError(.invalidContentLength, side) }
        append("content-length", decimal: length)
    }

    /// Writes Via, if requested (RFC 9110 §7.6.3).
    private mutating func writeVia(
        _ version: ByteString,
        _ name: ByteString?,
        _ side: HTTPError.Side
    ) throws(HTTPError) {
        guard let name else { return }
        let text = name.span
        guard text.endOfText(from: 0) == text.count else {
            throw HTTPError(.invalidFieldValue, side)
        }
        let start = bytes.count
        bytes.append(addingCapacity: text.count + 8) { (output: inout OutputSpan<UInt8>) in
            output.append("via")
            output.append(FieldRules.viaVersion(version))
            output.append(0x20)
            output.append(copying: text)
        }
        addLine(start, nameCount: 3)
    }

    /// Appends a field whose value is a nonnegative number.
    private mutating func append(_ name: StaticString, decimal number: Int) {
        let start = bytes.count
        bytes.append(addingCapacity: name.utf8CodeUnitCount + 20) {
            (output: inout OutputSpan<UInt8>) in
            output.append(name)
            output.appendDecimal(number)
        }
        addLine(start, nameCount: name.utf8CodeUnitCount)
    }

    /// Appends a field of ours whose value is valid.
    private mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        let start = bytes.count
        bytes.append(addingCapacity: name.utf8CodeUnitCount + value.count) {
            (output: inout OutputSpan<UInt8>) in
            output.append(name)
            output.append(copying: value)
        }
        addLine(start, nameCount: name.utf8CodeUnitCount)
    }

    /// Appends a field, without white space around its value.
    mutating func append(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        _ side: HTTPError.Side,
        isPseudo: Bool = false
    ) throws(HTTPError) {
        if name.isEmpty { throw HTTPError(.emptyFieldName, side) }
        guard name.endOfToken(from: isPseudo ? 1 : 0) == name.count else {
            throw HTTPError(.invalidFieldName, side)
        }
        guard value.endOfText(from: 0) == value.count else {
            throw HTTPError(.invalidFieldValue, side)
        }
        let value = value.extracting(value.trimmed(value.indices))
        let start = bytes.count
        bytes.append(addingCapacity: name.count + value.count) {
            (output: inout OutputSpan<UInt8>) in
            output.append(lowercasing: name)
            output.append(copying: value)
        }
        addLine(start, nameCount: name.count)
    }

    private mutating func addLine(_ start: Int, nameCount: Int) {
        let valueStart = start + nameCount
        lines.append(
            FieldSection.Line(
                nameStart: UInt32(truncatingIfNeeded: start),
                nameCount: UInt32(truncatingIfNeeded: nameCount),
                valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueCount: UInt32(truncatingIfNeeded: bytes.count - valueStart)
            )
        )
    }
}

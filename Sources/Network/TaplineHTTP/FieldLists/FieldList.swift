// SPDX-License-Identifier: MIT

package import TaplineModel

/// The decoded fields of a message of HTTP/2: pseudo-fields, then fields (RFC 9113 §8.3).
///
/// Everything is checked as strictly as in HTTP/1, since messages are forwarded to HTTP/1.
package struct FieldList: ~Escapable {
    /// The positions of the fields in `bytes`.
    private let lines: Span<FieldSection.Line>
    /// The bytes that contain all names and values.
    private let bytes: Span<UInt8>
    private let side: HTTPError.Side
    private let limits: HTTPLimits

    /// Makes a list of fields that are within the bytes.
    @_lifetime(copy lines, copy bytes)
    package init(
        _ lines: Span<FieldSection.Line>,
        of bytes: Span<UInt8>,
        _ side: HTTPError.Side,
        _ limits: HTTPLimits = HTTPLimits()
    ) {
        self.lines = lines
        self.bytes = bytes
        self.side = side
        self.limits = limits
    }

    /// Returns the bytes in a range.
    @_lifetime(copy self)
    func text(_ range: Range<Int>) -> Span<UInt8> { bytes.extracting(range) }

    /// Makes an error of the list's sender.
    func error(_ code: HTTPError.Code, _ message: String? = nil) -> HTTPError {
        HTTPError(code, side, message)
    }

    /// Makes the error of a missing pseudo-field.
    func missing(_ name: String) -> HTTPError {
        error(.invalidPseudoField, "the pseudo-field '\(name)' is missing")
    }

    /// Returns a name in quotes for messages; `nil` if it is empty, long, or not printable.
    private func quoted(_ name: Span<UInt8>) -> String? {
        guard 1...64 ~= name.count else { return nil }
        for index in name.indices where !(0x21...0x7E ~= name[index]) { return nil }
        return "'\(ByteString(name))'"
    }

    /// Makes the error of a head whose fields are valid, but whose last field nghttp2 has refused.
    package func lastRefused() -> HTTPError {
        guard !lines.isEmpty else { return error(.malformedMessage) }
        let line = lines[lines.count - 1]
        guard let name = quoted(text(line.name)) else { return error(.malformedMessage) }
        if isPseudoField(line) {
            // nghttp2 passes on the names and values of invalid pseudo-fields up to NUL.
            return error(
                .invalidPseudoField,
                "the pseudo-field \(name) contains a byte that is not allowed"
            )
        }
        // RFC 9110 §8.6: responses with 1xx or 204 have no Content-Length.
        if side == .response, FieldKind(text(line.name)) == .contentLength,
            let status = try? pseudoFields().status
        {
            return error(
                .malformedMessage,
                "the field \(name) is not allowed with the status \(ByteString(text(status)))"
            )
        }
        return error(
            .malformedMessage,
            "the field \(name) has an invalid value, or is not allowed here"
        )
    }

    /// Makes the error of trailers whose fields are valid, but which nghttp2 has refused.
    ///
    /// It combines Content-Length and Host of trailers with those of the head.
    package func trailersRefused() -> HTTPError {
        for index in lines.indices {
            switch FieldKind(text(lines[index].name)) {
            case .contentLength:
                return error(.malformedMessage, "the trailers contain the field 'content-length'")
            case .host: return error(.malformedMessage, "the trailers contain the field 'host'")
            default: continue
            }
        }
        return error(.malformedMessage)
    }

    /// Checks the fields of a head that may be incomplete: each by itself, and that none is repeated
    /// that must not be.
    package func checkFields() throws(HTTPError) { _ = try parts() }

    /// Returns the parts of a head, each checked by itself.
    func parts() throws(HTTPError) -> (PseudoFields, FieldSection, FramingFields) {
        let pseudo = try pseudoFields()
        try check(pseudo)
        let fields = try fields(from: pseudo.count)
        let framingFields = try FramingFields(fields, side)
        if side == .request, let host = framingFields.host,
            Authority(fields.value(at: host)) == nil
        {
            throw error(.invalidHost)
        }
        return (pseudo, fields, framingFields)
    }

    private func isPseudoField(_ line: FieldSection.Line) -> Bool {
        line.nameCount > 0 && bytes[line.name.lowerBound] == .ascii(":")
    }

    /// Checks that there are no pseudo-fields, which trailers must not have (RFC 9113 §8.1).
    fileprivate func checkNoPseudoFields() throws(HTTPError) {
        for index in lines.indices where isPseudoField(lines[index]) {
            let name = quoted(text(lines[index].name))
            throw error(
                .invalidPseudoField,
                name.map { "the trailers contain the pseudo-field \($0)" }
            )
        }
    }

    /// Reads the pseudo-fields, which precede all others.
    func pseudoFields() throws(HTTPError) -> PseudoFields {
        var result = PseudoFields()
        while result.count < lines.count {
            let line = lines[result.count]
            guard isPseudoField(line) else { break }
            let name = text(line.name)
            if let fault = result.add(name, line.value) {
                throw error(
                    .invalidPseudoField,
                    quoted(name).map { "the pseudo-field \($0) \(fault.rawValue)" }
                )
            }
            // RFC 9113 §8.3.
            guard name.isExactly(":status") == (side == .response) else {
                let others = side == .request ? "responses" : "requests"
                throw error(
                    .invalidPseudoField,
                    quoted(name).map { "the pseudo-field \($0) belongs to \(others)" }
                )
            }
            result.count += 1
        }
        return result
    }

    /// Checks the values of the pseudo-fields that there are.
    private func check(_ pseudo: PseudoFields) throws(HTTPError) {
        if let range = pseudo.method {
            let method = text(range)
            if method.isEmpty { throw empty(":method", .invalidMethod) }
            guard method.endOfToken(from: 0) == method.count else {
                throw error(.invalidMethod)
            }
        }
        // Servers of other schemes cannot be reached, and the scheme may become part of a URL.
        if let range = pseudo.scheme, Authority.defaultPort(of: text(range)) == nil {
            throw error(
                .invalidPseudoField,
                "the pseudo-field ':scheme' is neither http nor https"
            )
        }
        if let range = pseudo.path {
            let target = text(range)
            if target.isEmpty { throw empty(":path", .invalidTargetForm) }
            guard target.endOfTarget(from: 0) == target.count else { throw error(.invalidTarget) }
        }
        if let range = pseudo.authority, Authority(text(range)) == nil {
            throw error(.invalidAuthority)
        }
        if let range = pseudo.connectProtocol {
            let name = text(range)
            guard !name.isEmpty, name.endOfToken(from: 0) == name.count else {
                throw error(.invalidPseudoField, "the pseudo-field ':protocol' is not a token")
            }
        }
        guard let range = pseudo.status else { return }
        guard range.count == 3, let status = text(range).decimal, status >= 100 else {
            throw error(
                .invalidPseudoField,
                "the pseudo-field ':status' is not a number of three digits from 100 on"
            )
        }
        // RFC 9113 §8.6: there is no 101.
        if status == 101 {
            throw error(
                .invalidPseudoField,
                "the pseudo-field ':status' is 101, which HTTP/2 does not have"
            )
        }
    }

    private func empty(_ name: String, _ code: HTTPError.Code) -> HTTPError {
        error(code, "the pseudo-field '\(name)' is empty")
    }

    /// Checks the fields after the first ones, which are pseudo-fields, and copies them.
    ///
    /// - Parameters:
    ///   - first: The number of pseudo-fields.
    ///   - areTrailers: Whether they are trailers, for the error if there are too many.
    /// - Returns: The fields.
    /// - Throws: Why the message is malformed.
    func fields(from first: Int, areTrailers: Bool = false) throws(HTTPError) -> FieldSection {
        // RFC 6585 §5: 431.
        if lines.count - first > limits.fields {
            let what = areTrailers ? "trailers" : "fields"
            throw error(
                areTrailers ? .trailersTooLarge : .tooManyFields,
                "there are more \(what) than 'max_fields: \(limits.fields)' allows"
            )
        }
        for index in first..<lines.count { try check(lines[index]) }
        return FieldSection(copying: lines.extracting(first..<lines.count), of: bytes)
    }

    private func check(_ line: FieldSection.Line) throws(HTTPError) {
        let name = text(line.name)
        let value = text(line.value)
        if name.isEmpty { throw error(.emptyFieldName) }
        // RFC 9113 §8.2.1: a token in lower case; also refuses pseudo-fields after other fields.
        guard name.isLowercaseToken else { throw invalidName(name) }
        let end = value.endOfText(from: 0)
        guard end == value.count else { throw invalidValue(name, value[end]) }
        // RFC 9113 §8.2.1: no white space at either end, which HTTP/1 would remove.
        if !value.isEmpty, value[0].isBlank || value[value.count - 1].isBlank {
            throw error(
                .blankAroundValue,
                quoted(name).map {
                    "the value of the field \($0) begins or ends with a space or tab"
                }
            )
        }
        switch FieldKind(name) {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade:
            // RFC 9113 §8.2.2: such a message is malformed.
            throw error(
                .connectionField,
                quoted(name).map { "the field \($0) belongs to connections of HTTP/1" }
            )
        case .te:
            guard value.equalsIgnoringCase("trailers") else {
                throw error(.connectionField, "the field 'te' has another value than 'trailers'")
            }
        default: break
        }
    }

    private func invalidName(_ name: Span<UInt8>) -> HTTPError {
        guard let quoted = quoted(name) else { return error(.invalidFieldName) }
        // RFC 9113 §8.3: pseudo-fields precede all others.
        if name[0] == .ascii(":") {
            return error(.invalidPseudoField, "the pseudo-field \(quoted) follows other fields")
        }
        let isToken = name.endOfToken(from: 0) == name.count
        let fault = isToken ? "is not in lower case" : "contains an invalid byte"
        return error(.invalidFieldName, "the field name \(quoted) \(fault)")
    }

    private func invalidValue(_ name: Span<UInt8>, _ byte: UInt8) -> HTTPError {
        let what =
            switch byte {
            case 0: "NUL"
            case .ascii("\r"): "CR"
            case .ascii("\n"): "LF"
            default: "a control character"
            }
        return error(
            .invalidFieldValue,
            quoted(name).map { "the value of the field \($0) contains \(what)" }
        )
    }
}

extension FieldSection {
    /// Makes trailers from a list.
    ///
    /// - Throws: Why the message is malformed.
    package init(trailers list: borrowing FieldList) throws(HTTPError) {
        try list.checkNoPseudoFields()
        self = try list.fields(from: 0, areTrailers: true)
    }
}

/// The positions of the pseudo-fields of a message (RFC 9113 §8.3, RFC 8441 §4).
struct PseudoFields {
    /// How many there are.
    var count = 0
    private(set) var method: Range<Int>?
    private(set) var scheme: Range<Int>?
    private(set) var authority: Range<Int>?
    private(set) var path: Range<Int>?
    private(set) var connectProtocol: Range<Int>?
    private(set) var status: Range<Int>?

    /// What is wrong with a pseudo-field, for messages.
    enum Fault: String {
        case repeated = "occurs twice"
        case unknown = "is unknown"
    }

    /// Adds a pseudo-field; returns what is wrong with it.
    mutating func add(_ name: Span<UInt8>, _ value: Range<Int>) -> Fault? {
        switch name.count {
        case 5 where name.isExactly(":path"): Self.set(&path, value)
        case 7 where name.isExactly(":method"): Self.set(&method, value)
        case 7 where name.isExactly(":scheme"): Self.set(&scheme, value)
        case 7 where name.isExactly(":status"): Self.set(&status, value)
        case 9 where name.isExactly(":protocol"): Self.set(&connectProtocol, value)
        case 10 where name.isExactly(":authority"): Self.set(&authority, value)
        default: .unknown
        }
    }

    private static func set(_ place: inout Range<Int>?, _ value: Range<Int>) -> Fault? {
        guard place == nil else { return .repeated }
        place = value
        return nil
    }
}

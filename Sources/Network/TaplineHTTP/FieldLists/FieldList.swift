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
    func error(_ code: HTTPError.Code) -> HTTPError { HTTPError(code, side) }

    /// Reads the pseudo-fields, which precede all others.
    func pseudoFields() throws(HTTPError) -> PseudoFields {
        var result = PseudoFields()
        while result.count < lines.count {
            let line = lines[result.count]
            guard line.nameCount > 0, bytes[line.name.lowerBound] == .ascii(":") else { break }
            guard result.add(text(line.name), line.value) else {
                throw error(.invalidPseudoField)
            }
            result.count += 1
        }
        return result
    }

    /// Checks the fields after the first ones, which are pseudo-fields, and copies them.
    func fields(from first: Int) throws(HTTPError) -> FieldSection {
        // RFC 6585 §5: 431.
        if lines.count - first > limits.fields { throw error(.tooManyFields) }
        for index in first..<lines.count { try check(lines[index]) }
        return FieldSection(copying: lines.extracting(first..<lines.count), of: bytes)
    }

    private func check(_ line: FieldSection.Line) throws(HTTPError) {
        let name = text(line.name)
        let value = text(line.value)
        if name.isEmpty { throw error(.emptyFieldName) }
        // RFC 9113 §8.2.1: a token in lower case; also refuses pseudo-fields after other fields.
        guard name.isLowercaseToken else { throw error(.invalidFieldName) }
        guard value.endOfText(from: 0) == value.count else { throw error(.invalidFieldValue) }
        // RFC 9113 §8.2.1: no white space at either end, which HTTP/1 would remove.
        if !value.isEmpty, value[0].isBlank || value[value.count - 1].isBlank {
            throw error(.blankAroundValue)
        }
        switch FieldKind(name) {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade:
            // RFC 9113 §8.2.2: such a message is malformed.
            throw error(.connectionField)
        case .te:
            guard value.equalsIgnoringCase("trailers") else { throw error(.connectionField) }
        default: break
        }
    }
}

extension FieldSection {
    /// Makes trailers from a list.
    ///
    /// - Throws: Why the message is malformed; pseudo-fields are not allowed (RFC 9113 §8.1).
    package init(trailers list: borrowing FieldList) throws(HTTPError) {
        guard try list.pseudoFields().count == 0 else { throw list.error(.invalidPseudoField) }
        self = try list.fields(from: 0)
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

    /// Adds a pseudo-field; returns whether it is known and the first of its name.
    mutating func add(_ name: Span<UInt8>, _ value: Range<Int>) -> Bool {
        switch name.count {
        case 5 where name.isExactly(":path"): Self.set(&path, value)
        case 7 where name.isExactly(":method"): Self.set(&method, value)
        case 7 where name.isExactly(":scheme"): Self.set(&scheme, value)
        case 7 where name.isExactly(":status"): Self.set(&status, value)
        case 9 where name.isExactly(":protocol"): Self.set(&connectProtocol, value)
        case 10 where name.isExactly(":authority"): Self.set(&authority, value)
        default: false
        }
    }

    private static func set(_ place: inout Range<Int>?, _ value: Range<Int>) -> Bool {
        guard place == nil else { return false }
        place = value
        return true
    }
}

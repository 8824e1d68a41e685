// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The lines of a head that is still coming in: where they lie, and how far they were looked at.
///
/// Each byte is looked at once for the end of its line and once more when the line is read, so that
/// a head that comes byte by byte costs no more than twice as much as one that comes whole.
struct HeadLines {
    /// Whose head it is, as errors say it.
    let side: HTTPError.Side
    /// Whether the first line was read, so that what comes are fields.
    var isStartLineRead = false
    /// Where the fields lie, counted from the first byte of the head; after `fieldCount` is room.
    ///
    /// Only `readFields` writes here, so that the room is made once for a connection.
    var lines: [FieldSection.Line] = []
    /// How many fields were read.
    var fieldCount = 0
    /// The first byte of the line that is not whole yet.
    var next = 0
    /// Up to where that line is known to hold no line feed.
    private var looked = 0

    /// What reading a line came to.
    enum Outcome: Equatable {
        /// A line is not whole yet.
        case incomplete
        /// There are more fields than may be.
        case excess
        /// The empty line was read.
        case end
    }

    init(_ side: HTTPError.Side) {
        self.side = side
    }

    /// The fields that were read.
    func fields(of head: Span<UInt8>) -> FieldSection {
        FieldSection(copying: lines.span.extracting(0..<fieldCount), of: head)
    }

    /// Makes room for more lines: for as many as usual heads have, then for twice as many.
    mutating func makeRoom(atMost most: Int) {
        let empty = FieldSection.Line(nameStart: 0, nameCount: 0, valueStart: 0, valueCount: 0)
        let more = Swift.min(Swift.max(lines.count, 32), Swift.max(most - lines.count, 1))
        lines.append(contentsOf: repeatElement(empty, count: more))
    }

    /// Forgets the lines and keeps the memory.
    mutating func removeAll() {
        isStartLineRead = false
        fieldCount = 0
        next = 0
        looked = 0
    }

    /// Refuses a head of which so much has come, where that is more than may be.
    func check(_ count: Int, _ limits: HTTPLimits) throws(HTTPError) {
        // RFC 6585 §5: 431, for one field that is too large or all of them together.
        if count > limits.head { throw HTTPError(.headTooLarge, side, at: limits.head) }
        if !isStartLineRead { try check(startLine: count, limits) }
    }

    /// Refuses a first line of which so much has come, where that is more than may be.
    func check(startLine count: Int, _ limits: HTTPLimits) throws(HTTPError) {
        if count > limits.line { throw HTTPError(.lineTooLong, side, at: limits.line) }
    }

    /// Whether more of the line has come than was looked at, and it may be whole now.
    mutating func mayRead(_ bytes: Span<UInt8>) -> Bool {
        if looked <= next { return next < bytes.count }
        let found = bytes.firstIndex(ofEither: 0x0A, 0x0A, from: looked)
        looked = bytes.count
        if found == bytes.count { return false }
        looked = next
        return true
    }

    /// Notes that the line is not whole, so that the bytes at hand need no second look.
    mutating func wait(_ bytes: Span<UInt8>) -> Outcome {
        looked = bytes.count
        return .incomplete
    }

    /// The end of a line whose text ends at `end`: the position after CRLF, or `nil` if it
    /// has not come yet.
    func lineEnd(
        _ bytes: Span<UInt8>,
        at end: Int,
        else code: HTTPError.Code
    ) throws(HTTPError) -> Int? {
        guard end < bytes.count else { return nil }
        if bytes[end] == 0x0D {
            guard end + 1 < bytes.count else { return nil }
            // RFC 9112 §2.2: a bare CR is invalid, and may be a line end to another reader.
            guard bytes[end + 1] == 0x0A else {
                throw HTTPError(.bareCarriageReturn, side, at: end)
            }
            return end + 2
        }
        // RFC 9112 §2.2 lets a recipient take a single LF for a line end. Readers differ, so it is
        // refused.
        throw HTTPError(bytes[end] == 0x0A ? .bareLineFeed : code, side, at: end)
    }

    /// Reads the field lines that are whole, and the empty line after them (RFC 9112 §5).
    mutating func read(
        _ bytes: Span<UInt8>,
        atMost most: Int
    ) throws(HTTPError) -> Outcome {
        readFields(bytes, atMost: most)
        guard next < bytes.count else { return wait(bytes) }
        let colon = bytes.endOfToken(from: next)
        guard colon < bytes.count else { return wait(bytes) }
        guard bytes[colon] == .ascii(":"), colon > next else {
            return try readOther(bytes, at: colon)
        }
        var start = colon + 1
        while start < bytes.count, bytes[start].isBlank { start += 1 }
        let text = bytes.endOfText(from: start)
        guard let end = try lineEnd(bytes, at: text, else: .invalidFieldValue) else {
            return wait(bytes)
        }
        // Whole and right, so it was left because it is one too many.
        next = end
        return .excess
    }

    /// What begins no field: the empty line, or one of the ways in which a line is wrong.
    private mutating func readOther(
        _ bytes: Span<UInt8>,
        at place: Int
    ) throws(HTTPError) -> Outcome {
        let byte = bytes[place]
        if place == next {
            switch byte {
            case 0x0D, 0x0A:
                let end = try lineEnd(bytes, at: place, else: .invalidFieldName)
                guard let end else { return wait(bytes) }
                next = end
                return .end
            // RFC 9112 §5.2: a folded line is refused, as §2.2 asks for white space after the
            // start line. In a response it might be unfolded instead; readers differ there.
            case 0x20, 0x09: throw HTTPError(.foldedLine, side, at: place)
            case .ascii(":"): throw HTTPError(.emptyFieldName, side, at: place)
            default: throw HTTPError(.invalidFieldName, side, at: place)
            }
        }
        // RFC 9112 §5.1: 400 in a request. In a response the space could be taken out; a field
        // that is written so is refused like everywhere else.
        if byte.isBlank { throw HTTPError(.spaceBeforeColon, side, at: place) }
        let end = try lineEnd(bytes, at: place, else: .invalidFieldName)
        guard end != nil else { return wait(bytes) }
        // A line without a colon, ended rightly or not.
        throw HTTPError(.invalidFieldName, side, at: place)
    }
}

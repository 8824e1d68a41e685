// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The lines of a head that is being received: their positions, and how far they were scanned.
///
/// Each byte is scanned once for the end of its line and once more when the line is parsed. A head
/// that arrives byte by byte therefore costs at most twice as much as one that arrives whole.
struct HeadLines {
    /// The sender of the head, for errors.
    let side: HTTPError.Side
    /// Whether the first line was read, so that fields follow.
    var isStartLineRead = false
    /// The positions of the fields, from the first byte of the head; entries after `fieldCount` are
    /// unused.
    ///
    /// Only `readFields` writes here, so that the array is allocated once per connection.
    var lines: [FieldSection.Line] = []
    /// The number of fields that were read.
    var fieldCount = 0
    /// The position of the first byte of the incomplete line.
    var next = 0
    /// The position up to which that line contains no line feed.
    private var looked = 0

    /// The result of reading a line.
    enum Outcome: Equatable {
        /// A line is incomplete.
        case incomplete
        /// There are more fields than allowed.
        case excess
        /// The empty line was read.
        case end
    }

    init(_ side: HTTPError.Side) {
        self.side = side
    }

    /// Returns the fields that were read.
    func fields(of head: Span<UInt8>) -> FieldSection {
        FieldSection(copying: lines.span.extracting(0..<fieldCount), of: head)
    }

    /// Makes room for more lines: as many as common heads have, then twice as many.
    mutating func makeRoom(atMost most: Int) {
        let empty = FieldSection.Line(nameStart: 0, nameCount: 0, valueStart: 0, valueCount: 0)
        let more = Swift.min(Swift.max(lines.count, 32), Swift.max(most - lines.count, 1))
        lines.append(contentsOf: repeatElement(empty, count: more))
    }

    /// Removes the lines and keeps the memory.
    mutating func removeAll() {
        isStartLineRead = false
        fieldCount = 0
        next = 0
        looked = 0
    }

    /// Throws if a head of this size exceeds the limit.
    func check(_ count: Int, _ limits: HTTPLimits) throws(HTTPError) {
        // RFC 6585 §5: 431, for one field that is too large or for all of them together.
        if count > limits.head { throw HTTPError(.headTooLarge, side, at: limits.head) }
        if !isStartLineRead { try check(startLine: count, limits) }
    }

    /// Throws if a first line of this size exceeds the limit.
    func check(startLine count: Int, _ limits: HTTPLimits) throws(HTTPError) {
        if count > limits.line { throw HTTPError(.lineTooLong, side, at: limits.line) }
    }

    /// Returns whether more of the line has arrived than was scanned, so that it may be complete.
    mutating func mayRead(_ bytes: Span<UInt8>) -> Bool {
        if looked <= next { return next < bytes.count }
        let found = bytes.firstIndex(ofEither: 0x0A, 0x0A, from: looked)
        looked = bytes.count
        if found == bytes.count { return false }
        looked = next
        return true
    }

    /// Notes that the line is incomplete, so that its bytes are not scanned again.
    mutating func wait(_ bytes: Span<UInt8>) -> Outcome {
        looked = bytes.count
        return .incomplete
    }

    /// Returns the position after the CRLF of a line whose text ends at `end`; `nil` if it has not
    /// arrived yet.
    func lineEnd(
        _ bytes: Span<UInt8>,
        at end: Int,
        else code: HTTPError.Code
    ) throws(HTTPError) -> Int? {
        guard end < bytes.count else { return nil }
        if bytes[end] == 0x0D {
            guard end + 1 < bytes.count else { return nil }
            // RFC 9112 §2.2: a bare CR is invalid, and another reader may treat it as a line end.
            guard bytes[end + 1] == 0x0A else {
                throw HTTPError(.bareCarriageReturn, side, at: end)
            }
            return end + 2
        }
        // RFC 9112 §2.2 allows recipients to treat a single LF as a line end. Readers differ, so it
        // is refused.
        throw HTTPError(bytes[end] == 0x0A ? .bareLineFeed : code, side, at: end)
    }

    /// Reads the complete field lines, and the empty line after them (RFC 9112 §5).
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
        // The line is complete and valid, so it was skipped because it is one too many.
        next = end
        return .excess
    }

    /// Handles a line that begins no field: the empty line, or an invalid line.
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
            // RFC 9112 §5.2: a folded line is refused, as §2.2 requires for white space after the
            // start line. A recipient could unfold it in a response, but readers differ there.
            case 0x20, 0x09: throw HTTPError(.foldedLine, side, at: place)
            case .ascii(":"): throw HTTPError(.emptyFieldName, side, at: place)
            default: throw HTTPError(.invalidFieldName, side, at: place)
            }
        }
        // RFC 9112 §5.1: 400 in a request. In a response the space could be removed, but such a
        // field is refused like everywhere else.
        if byte.isBlank { throw HTTPError(.spaceBeforeColon, side, at: place) }
        let end = try lineEnd(bytes, at: place, else: .invalidFieldName)
        guard end != nil else { return wait(bytes) }
        // A line without a colon, whether its line end is valid or not.
        throw HTTPError(.invalidFieldName, side, at: place)
    }
}

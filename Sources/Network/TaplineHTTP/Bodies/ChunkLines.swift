// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Parses the framing between the contents of a chunked body, byte by byte.
///
/// ```
/// size ──▶ digits ──┬──────────────▶ sizeFeed ──▶ content ──▶ dataReturn ──▶ dataFeed ──▶ size
///                   └─▶ extension ──▶           └─(size 0)─▶ trailers ──▶ ended
/// ```
///
/// **Source**: RFC 9112 §7.1.
struct ChunkLines {
    /// The result of reading framing.
    enum Outcome: Equatable {
        /// All bytes were read and the framing continues.
        case incomplete
        /// A chunk of this size follows; never 0.
        case chunk(Int)
        /// The last chunk and the trailers were read.
        case ended
    }

    private enum State: UInt8 {
        case size
        case digits
        case blank
        case extensions
        case quoted
        case escaped
        case sizeFeed
        case dataReturn
        case dataFeed
        case trailers
    }

    var side: HTTPError.Side { trailerLines.side }
    private(set) var trailers = FieldSection()

    private let limits: HTTPLimits
    private var state = State.size
    private var size = 0
    /// The number of bytes of the chunk line so far, and of the extensions of the whole body.
    private var lineCount = 0
    private var extensionCount = 0
    /// Trailers as received, held until they are complete: the only bytes that are copied.
    private var trailerBytes: [UInt8] = []
    private var trailerLines: HeadLines

    init(_ side: HTTPError.Side, _ limits: HTTPLimits) {
        self.limits = limits
        trailerLines = HeadLines(side)
    }

    /// Handles the end of a chunk's content; its line end follows.
    mutating func contentEnded() { state = .dataReturn }

    /// Reads framing from the first byte on, and returns the number of consumed bytes.
    mutating func read(
        _ bytes: Span<UInt8>,
        _ offset: Int
    ) throws(HTTPError) -> (outcome: Outcome, consumed: Int) {
        var index = 0
        while index < bytes.count {
            if state == .trailers { return try readTrailers(bytes, from: index, offset) }
            let byte = bytes[index]
            index += 1
            do throws(CodeError) {
                guard try step(byte) else { continue }
            } catch {
                throw HTTPError(error.code, side, at: offset + index - 1)
            }
            if size > 0 { return (.chunk(size), index) }
        }
        return (.incomplete, index)
    }

    /// An error without its offset.
    private struct CodeError: Error {
        let code: HTTPError.Code
        init(_ code: HTTPError.Code) { self.code = code }
    }

    /// Reads one byte.
    ///
    /// Returns whether it ended a chunk line.
    @inline(__always)
    private mutating func step(_ byte: UInt8) throws(CodeError) -> Bool {
        switch state {
        case .size, .digits: try stepSize(byte)
        case .blank, .extensions, .quoted, .escaped: try stepExtensions(byte)
        case .sizeFeed:
            try countLine()
            // RFC 9112 §2.2: the CR of a line end is followed by LF.
            guard byte == 0x0A else { throw CodeError(.bareCarriageReturn) }
            state = size == 0 ? .trailers : .size
            lineCount = 0
            return true
        case .dataReturn:
            // RFC 9112 §7.1: `chunk-data CRLF`. Anything else means that sender and reader disagree
            // on the size.
            guard byte == 0x0D else { throw CodeError(.missingChunkEnd) }
            state = .dataFeed
        case .dataFeed:
            guard byte == 0x0A else { throw CodeError(.missingChunkEnd) }
            state = .size
        case .trailers: break
        }
        return false
    }

    private mutating func stepSize(_ byte: UInt8) throws(CodeError) {
        try countLine()
        if let digit = byte.hexDigit {
            if state == .size { size = 0 }
            // RFC 9112 §7.1: "recipients MUST anticipate potentially large hexadecimal numerals".
            guard size <= Int.max >> 4 else { throw CodeError(.chunkSizeOverflow) }
            size = size << 4 | Int(digit)
            state = .digits
            return
        }
        guard state == .digits else { throw CodeError(.invalidChunkSize) }
        switch byte {
        case 0x0D: state = .sizeFeed
        case 0x0A: throw CodeError(.bareLineFeed)
        case .ascii(";"): try startExtensions()
        // RFC 9112 §7.1.1: white space may appear before the semicolon, and only there.
        case 0x20, 0x09: state = .blank
        default: throw CodeError(.invalidChunkSize)
        }
    }

    private mutating func startExtensions() throws(CodeError) {
        state = .extensions
        try countExtension()
    }

    /// Skips extensions: text without controls, or a quoted string, possibly with escapes.
    private mutating func stepExtensions(_ byte: UInt8) throws(CodeError) {
        try countLine()
        if state == .blank {
            guard byte == .ascii(";") || byte.isBlank else {
                throw CodeError(.invalidChunkSize)
            }
            if !byte.isBlank { try startExtensions() }
            return
        }
        try countExtension()
        if byte == 0x0D, state == .extensions {
            state = .sizeFeed
            return
        }
        // RFC 9112 §7.1.1: token or quoted string. Readers that skip extensions unparsed treat a
        // line feed here as a line end, so it is refused in quotes too.
        if byte == 0x0A { throw CodeError(.bareLineFeed) }
        if byte == 0x0D { throw CodeError(.bareCarriageReturn) }
        guard byte.isTextByte else { throw CodeError(.invalidChunkExtension) }
        switch (state, byte) {
        case (.extensions, .ascii("\"")): state = .quoted
        case (.quoted, .ascii("\"")): state = .extensions
        case (.quoted, .ascii("\\")): state = .escaped
        case (.escaped, _): state = .quoted
        default: break
        }
    }

    private mutating func countLine() throws(CodeError) {
        lineCount += 1
        if lineCount > limits.chunkLine { throw CodeError(.chunkLineTooLong) }
    }

    private mutating func countExtension() throws(CodeError) {
        extensionCount += 1
        if extensionCount > limits.chunkExtensions { throw CodeError(.chunkExtensionsTooLarge) }
    }

    /// Reads trailer lines up to the empty line (RFC 9112 §7.1.2).
    private mutating func readTrailers(
        _ bytes: Span<UInt8>,
        from start: Int,
        _ offset: Int
    ) throws(HTTPError) -> (outcome: Outcome, consumed: Int) {
        let before = trailerBytes.count
        // One byte more than the limit is enough to detect that it is exceeded.
        let room = Swift.max(Swift.min(limits.trailers, .max - 1) + 1 - before, 0)
        let end = start + Swift.min(bytes.count - start, room)
        trailerBytes.append(copying: bytes.extracting(start..<end))
        do throws(HTTPError) {
            let held = trailerBytes
            while trailerLines.mayRead(held.span) {
                let outcome = try trailerLines.read(held.span, atMost: limits.fields)
                if outcome == .incomplete { break }
                if outcome == .excess || trailerLines.next > limits.trailers {
                    throw HTTPError(.trailersTooLarge, side, at: trailerLines.next)
                }
                if outcome == .end {
                    trailers = trailerLines.fields(of: held.span)
                    return (.ended, start + trailerLines.next - before)
                }
            }
            if trailerBytes.count > limits.trailers {
                throw HTTPError(.trailersTooLarge, side, at: limits.trailers)
            }
        } catch {
            throw HTTPError(error.code, side, at: offset + start - before + (error.offset ?? 0))
        }
        return (.incomplete, bytes.count)
    }
}

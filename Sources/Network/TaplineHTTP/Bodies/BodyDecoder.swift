// SPDX-License-Identifier: MIT

package import TaplineModel

/// Separates a body's content from its framing.
///
/// **Shape**: copies only trailers. Each call takes the bytes after those that were consumed so
/// far, and returns the next part: framing first, then content, either of them possibly empty. Call
/// it until the state is not `more`:
///
/// ```
/// loop: while true {
///     let part = try decoder.next(bytes.extracting(at...))
///     // content: bytes[at + part.content], on the wire: bytes[at ..< at + part.consumed]
///     at += part.consumed
///     switch part.state {
///     case .more: continue
///     case .needsBytes: break loop
///     case .ended: break loop
///     }
/// }
/// ```
///
/// The consumed bytes, in whatever pieces, are the body with its framing. Forward them if nothing
/// changes, or write the content in your own chunks (`ChunkWriter`).
///
/// **Isolation**: one body, one thread at a time.
///
/// **Source**: RFC 9112 §6 and §7.1.
@usableFromInline package struct BodyDecoder: ~Copyable {
    /// The next part of a body.
    @frozen @usableFromInline
    package struct Part: Sendable, Equatable {
        /// The range of the content in the given bytes; empty if there is only framing.
        @usableFromInline package var content: Range<Int>
        /// How many of the given bytes the part takes, including framing before the content.
        @usableFromInline package var consumed: Int
        /// The next step.
        @usableFromInline package var state: State

        @inlinable
        init(content: Range<Int>, consumed: Int, state: State) {
            self.content = content
            self.consumed = consumed
            self.state = state
        }
    }

    /// The next step after a part.
    @frozen
    @usableFromInline package enum State: UInt8, Sendable, Equatable {
        /// There is more in the given bytes: call again.
        case more
        /// All bytes are consumed and the body continues.
        case needsBytes
        /// The body has ended; the remaining bytes belong to the next message.
        case ended
    }

    @usableFromInline
    enum Mode: UInt8, Equatable {
        case length
        case untilClose
        case chunks
        case ended
    }

    /// The number of content bytes so far.
    package private(set) var contentBytes = 0
    /// The number of bytes on the wire so far: content and framing.
    package private(set) var wireBytes = 0

    private var mode: Mode
    /// The remaining bytes of the body or of the chunk.
    private var left: Int
    private var chunks: ChunkLines

    /// Makes a decoder for one body.
    @usableFromInline package init(
        _ framing: BodyFraming,
        _ side: HTTPError.Side,
        limits: HTTPLimits = HTTPLimits()
    ) {
        chunks = ChunkLines(side, limits)
        left = 0
        switch framing {
        case .none: mode = .ended
        case .length(let length):
            mode = length > 0 ? .length : .ended
            left = length
        case .chunked: mode = .chunks
        case .untilClose: mode = .untilClose
        }
    }

    /// Whether the body is complete.
    package var isEnded: Bool { mode == .ended }

    /// The number of content bytes still to come; `nil` if the length is unknown.
    package var remaining: Int? {
        switch mode {
        case .length: left
        case .ended: 0
        case .chunks, .untilClose: nil
        }
    }

    /// The trailer fields (RFC 9112 §7.1.2), once the body is complete.
    ///
    /// Trailers are never merged into the head, whatever their names.
    package var trailers: FieldSection { chunks.trailers }

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: The bytes after those consumed so far.
    /// - Returns: The next part of the body.
    /// - Throws: Why the framing is refused. Earlier parts are valid; the connection is not.
    package mutating func next(_ bytes: Span<UInt8>) throws(HTTPError) -> Part {
        switch mode {
        case .ended: return Part(content: 0..<0, consumed: 0, state: .ended)
        case .untilClose: return take(0..<bytes.count, .needsBytes)
        case .length:
            let count = Swift.min(left, bytes.count)
            left -= count
            if left == 0 { mode = .ended }
            return take(0..<count, left == 0 ? .ended : .needsBytes)
        case .chunks: return try nextOfChunks(bytes)
        }
    }

    /// Handles the end of the connection: it ends a body without a length, and is an error in any
    /// other body.
    ///
    /// **Source**: RFC 9112 §8.
    package mutating func connectionEnded() throws(HTTPError) {
        switch mode {
        case .ended: break
        case .untilClose: mode = .ended
        case .length, .chunks: throw HTTPError(.truncatedBody, chunks.side, at: wireBytes)
        }
    }

    private mutating func take(_ content: Range<Int>, _ state: State) -> Part {
        contentBytes &+= content.count
        wireBytes &+= content.upperBound
        return Part(content: content, consumed: content.upperBound, state: state)
    }

    private mutating func nextOfChunks(_ bytes: Span<UInt8>) throws(HTTPError) -> Part {
        var position = 0
        if left == 0 {
            let outcome: ChunkLines.Outcome
            (outcome, position) = try chunks.read(bytes, wireBytes)
            switch outcome {
            case .incomplete: return take(position..<position, .needsBytes)
            case .ended:
                mode = .ended
                return take(position..<position, .ended)
            case .chunk(let size): left = size
            }
        }
        let count = Swift.min(left, bytes.count - position)
        left -= count
        if left == 0 { chunks.contentEnded() }
        let end = position + count
        return take(position..<end, end < bytes.count ? .more : .needsBytes)
    }
}

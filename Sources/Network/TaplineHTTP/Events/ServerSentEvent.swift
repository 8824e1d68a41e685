// SPDX-License-Identifier: MIT

package import TaplineModel

/// An event of a `text/event-stream`.
@frozen
package struct ServerSentEvent: Sendable, Equatable {
    /// The type; empty if there was none, which means `message`.
    package var type: ByteString
    /// The lines of data, joined by line feeds.
    package var data: [UInt8]
    /// The last id of the stream, from this event or an earlier one.
    package var id: ByteString
    /// The number of bytes of the event on the wire, including the empty line after it.
    package var size: Int
    /// Whether data is missing because it exceeded the limit.
    package var isTruncated: Bool
}

extension ServerSentEvent {
    /// The number of bytes of a type or an id that a record keeps.
    private static let keptName = 256

    /// Returns the event in the form that is recorded.
    ///
    /// The type and the id are decoded as the standard specifies: invalid UTF-8 is replaced.
    package consuming func recorded(at time: Microseconds) -> StreamMessage {
        let isCut = type.count > Self.keptName || id.count > Self.keptName
        return StreamMessage(
            direction: .down,
            at: time,
            type: "event",
            event: Self.name(type),
            eventID: Self.name(id),
            bytes: data,
            size: size,
            isTruncated: isTruncated || isCut
        )
    }

    private static func name(_ bytes: ByteString) -> String {
        let span = bytes.span
        let kept = span.extracting(0..<Swift.min(span.count, keptName))
        return String(decoding: Array(copying: kept), as: UTF8.self)
    }
}

/// Parses the events of a `text/event-stream`, in any pieces.
///
/// **Shape**: feed the content as it arrives; each call consumes up to the end of the next event.
/// Any bytes form a valid stream, so nothing is refused. Beyond `keeps` bytes of an event or a
/// line, data is counted, not kept. An event without the empty line after it is ignored.
///
/// **Source**: the HTML standard, "Server-sent events", parsing an event stream.
@usableFromInline package struct ServerSentEventParser: ~Copyable {
    /// The result of a call.
    @frozen
    package struct Step: Sendable, Equatable {
        /// The event that ended, if any.
        package var event: ServerSentEvent?
        /// The number of consumed bytes.
        package var consumed: Int
    }

    /// The number of bytes of data that are kept of the current event and of later ones.
    @usableFromInline package var keeps: Int {
        get { kept }
        set { kept = Swift.min(Swift.max(newValue, 0), .max - 64) }
    }
    private var kept: Int
    /// The line so far.
    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether a carriage return ended a line; a line feed after it belongs to the same line end.
    private var endedByReturn = false
    private var event = ServerSentEvent(
        type: ByteString(),
        data: [],
        id: ByteString(),
        size: 0,
        isTruncated: false
    )
    private var hasData = false

    /// Makes a parser for one stream.
    /// - Parameter keeps: The number of bytes of data that are kept of an event.
    package init(keeps: Int) {
        kept = Swift.min(Swift.max(keeps, 0), .max - 64)
    }

    /// Reads up to the end of the next event.
    ///
    /// - Parameter bytes: The bytes after those consumed so far.
    /// - Returns: The event that ended, and the number of consumed bytes; all of them if no event
    ///   ended.
    package mutating func next(_ bytes: Span<UInt8>) -> Step {
        var position = 0
        while position < bytes.count {
            if endedByReturn {
                endedByReturn = false
                if bytes[position] == 0x0A {
                    position += 1
                    event.size += 1
                    continue
                }
            }
            let end = bytes.firstIndex(ofEither: 0x0D, 0x0A, from: position)
            hold(bytes.extracting(position..<end))
            event.size += end - position
            position = end
            guard end < bytes.count else { break }
            endedByReturn = bytes[end] == 0x0D
            event.size += 1
            position += 1
            if let event = endLine() { return Step(event: event, consumed: position) }
        }
        return Step(event: nil, consumed: position)
    }

    /// Keeps a part of a line: enough for its name, and for as much data as is kept.
    private mutating func hold(_ part: Span<UInt8>) {
        let room = Swift.max(keeps + 64 - line.count, 0)
        if part.count > room { event.isTruncated = true }
        line.append(copying: part.extracting(0..<Swift.min(part.count, room)))
    }

    /// Ends a line, whose memory is reused.
    ///
    /// Returns the event that ends with it, if any.
    private mutating func endLine() -> ServerSentEvent? {
        var ended = exchange(&line, with: [])
        defer {
            ended.removeAll(keepingCapacity: true)
            line = ended
        }
        return endLine(ended.span)
    }

    private mutating func endLine(_ line: Span<UInt8>) -> ServerSentEvent? {
        var text = line
        if isFirstLine {
            isFirstLine = false
            // A byte order mark before the first line is skipped.
            if text.starts(with: "\u{FEFF}") { text = text.extracting(3..<text.count) }
        }
        if text.isEmpty { return endEvent() }
        let colon = text.firstIndex(of: .ascii(":")) ?? text.count
        var start = Swift.min(colon + 1, text.count)
        if start < text.count, text[start] == 0x20 { start += 1 }
        field(text.extracting(0..<colon), text.extracting(start..<text.count))
        return nil
    }

    /// Handles one field.
    ///
    /// Comments, which have no name, and unknown fields are ignored.
    private mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.isExactly("data") {
            if hasData { event.data.append(0x0A) }
            hasData = true
            let room = Swift.max(keeps - event.data.count, 0)
            if value.count > room { event.isTruncated = true }
            event.data.append(copying: value.extracting(0..<Swift.min(value.count, room)))
        } else if name.isExactly("event") {
            event.type = ByteString(value)
        } else if name.isExactly("id"), value.firstIndex(of: 0) == nil {
            event.id = ByteString(value)
        }
    }

    /// Ends an event; `nil` if it has no data.
    private mutating func endEvent() -> ServerSentEvent? {
        let ended = event
        event = ServerSentEvent(
            type: ByteString(),
            data: [],
            id: ended.id,
            size: 0,
            isTruncated: false
        )
        if !hasData {
            // Lines without data, such as comments, count towards the size of the next event.
            event.size = ended.size
            return nil
        }
        hasData = false
        return ended
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The head of a message in a gRPC body: a flag and a length.
struct GRPCHead {
    private let flags: UInt8
    /// The head and the message.
    let range: Range<Int>
    /// The message.
    let payload: Range<Int>
    /// Whether the body ends within the message.
    let isCut: Bool

    /// Reads the head of a message; returns `nil` if there is none, or if the message is longer than
    /// the body although this is whole.
    init?(_ bytes: Span<UInt8>, _ start: Int, _ hasTrailers: Bool, _ isTruncated: Bool) {
        guard bytes.count - start >= 5, bytes[start] & (hasTrailers ? 0x7E : 0xFE) == 0 else {
            return nil
        }
        var length = 0
        for index in 1...4 { length = length << 8 | Int(bytes[start + index]) }
        let payload = start + 5
        isCut = length > bytes.count - payload
        guard !isCut || isTruncated else { return nil }
        let end = isCut ? bytes.count : payload + length
        flags = bytes[start]
        range = start..<end
        self.payload = payload..<end
    }

    var isCompressed: Bool { flags & 1 != 0 }
    /// Whether these are the trailers of gRPC-Web.
    var isTrailers: Bool { flags & 0x80 != 0 }
}

/// The messages of a gRPC body while it is edited.
///
/// **Shape**: the contents follow each other in one array, and those that were edited twice are kept
/// apart, so that a body of many small messages takes memory in proportion. Empty messages are not
/// included.
struct GRPCFrames {
    private struct Frame {
        let range: Range<Int>
        let content: Range<Int>
        let isTrailers: Bool
        /// The rule of the first edit; `nil` if there are none.
        var rule: UInt32?
    }

    private var frames: [Frame] = []
    /// The decoded and edited messages.
    private var contents: [UInt8] = []
    /// The messages that were edited again.
    private var replaced: [Int: [UInt8]] = [:]
    /// The rules of other edits.
    private var others: [UInt32] = []

    var indices: Range<Int> { frames.indices }

    func isTrailers(_ position: Int) -> Bool { frames[position].isTrailers }

    /// Appends a message with its edited content.
    mutating func append(_ head: GRPCHead, _ content: [UInt8], _ found: EditList) {
        let start = contents.count
        contents += content
        let frame = Frame(
            range: head.range,
            content: start..<contents.count,
            isTrailers: head.isTrailers
        )
        frames.append(frame)
        note(found, frames.count - 1)
    }

    /// Replaces the content of a message by one that was edited again.
    mutating func replace(_ position: Int, _ content: [UInt8], _ found: EditList) {
        replaced[position] = content
        note(found, position)
    }

    private mutating func note(_ found: EditList, _ position: Int) {
        found.forEachRule { rule in
            if frames[position].rule == nil {
                frames[position].rule = rule
            } else {
                others.append(rule)
            }
        }
    }

    /// Returns the content of a message.
    func content(of position: Int) -> [UInt8] {
        replaced[position] ?? Array(contents[frames[position].content])
    }

    /// Adds the edits of the body to a list; an edited message is written uncompressed.
    func add(to edits: inout EditList) {
        for position in frames.indices {
            let frame = frames[position]
            guard let rule = frame.rule else { continue }
            let content = content(of: position)
            let count = UInt32(clamping: content.count)
            let flags: UInt8 = frame.isTrailers ? 0x80 : 0
            let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
            edits.add(frame.range, ([flags] + length + content).span, rule)
        }
        edits.add(rules: others)
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineProtobuf

/// gRPC: bodies of messages with heads of five bytes, and messages of streams.
///
/// A compressed message that is edited is stored uncompressed, which each head states for its own
/// message.
extension Redactor {
    /// Redacts a message that was captured while it streamed.
    mutating func redactGRPC(_ message: inout StreamMessage, _ types: GRPCTypes) {
        call.isRequest = message.direction == .up
        let label = ContentLabel(type: call.isRequest ? types.request.span : types.response.span)
        edits.reset()
        search.budget.beginBody(message.bytes.count)
        let bytes = message.bytes
        editGRPCMessage(bytes.span, 0..<bytes.count, label, isCut: message.isTruncated)
        if !edits.isEmpty { message.bytes = applyEdits(to: bytes.span) }
    }

    /// Edits a body that is declared as protobuf or gRPC; returns whether it is.
    ///
    /// Compressed data and text are declared so too.
    mutating func editMessages(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) -> Bool {
        let content = bytes.extracting(range)
        if !label.isInner, search.finder.wholeForm(of: content)?.isCompressed == true {
            return false
        }
        if label.kind == .protobuf {
            guard !JSONText.isLikely(bytes, range),
                call.isTruncated || ProtobufReader.reads(content, 0..<content.count)
            else { return false }
            editProtobuf(bytes, range, label, isCut: call.isTruncated)
            return true
        }
        let form = GRPCForm(contentType: label.type.span)
        if form != .webText {
            guard GRPCFrame(content, 0, form == .web, call.isTruncated) != nil else { return false }
        }
        editGRPC(bytes, range, label)
        return true
    }

    /// Edits a body of gRPC messages.
    private mutating func editGRPC(_ bytes: Span<UInt8>, _ range: Range<Int>, _ label: ContentLabel)
    {
        let form = GRPCForm(contentType: label.type.span)
        guard form == .webText else {
            return editFrames(bytes, range, label, hasTrailers: form == .web)
        }
        var decoder = GRPCWebText()
        var frames: [UInt8] = []
        guard decoder.decode(bytes.extracting(range), appendingTo: &frames) else {
            return editUnreadable(bytes, range, label)
        }
        let outer = exchange(&edits, with: EditList())
        editFrames(frames.span, 0..<frames.count, label, hasTrailers: true)
        let inner = exchange(&edits, with: outer)
        guard !inner.isEmpty else { return }
        var text: [UInt8] = []
        GRPCWebText.encode(inner.apply(to: frames.span).span, appendingTo: &text)
        edits.add(range, text.span, by: inner)
    }

    private mutating func editFrames(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel,
        hasTrailers: Bool
    ) {
        // Without names, the whole body is masked like other data.
        guard
            !GRPCForm.isProtobuf(contentType: label.type.span) || keepsUnnamed(label)
                || messageType(label) != nil
        else { return rules.maskRest(bytes, range, &edits) }
        var position = range.lowerBound
        var frames: [GRPCFrame] = []
        var room = rules.limits.maxDecodedBytes
        let content = bytes.extracting(0..<range.upperBound)
        while var frame = GRPCFrame(content, position, hasTrailers, call.isTruncated) {
            edit(&frame, bytes, label, &room)
            frames.append(frame)
            position = frame.range.upperBound
        }
        editSplitValues(&frames)
        for frame in frames where !frame.edits.isEmpty {
            let isTrailers = frame.flags & 0x80 != 0
            let written = GRPCFrame.bytes(frame.content, isTrailers: isTrailers)
            edits.add(frame.range, written.span, by: frame.edits)
        }
        guard position < range.upperBound else { return }
        if position == range.lowerBound || rules.masksInDoubt {
            editUnreadable(bytes, position..<range.upperBound, label)
        } else {
            search.edit(bytes, position..<range.upperBound, .plain, &edits)
        }
    }

    /// Edits the values that are split over messages.
    private mutating func editSplitValues(_ frames: inout [GRPCFrame]) {
        let positions = frames.indices.filter { frames[$0].flags & 0x80 == 0 }
        guard positions.count > 1 else { return }
        var contents = positions.map { frames[$0].content }
        for (index, found) in redactSplitValues(&contents) {
            frames[positions[index]].content = contents[index]
            frames[positions[index]].edits.merge(found)
        }
    }

    /// Edits the content of a message, which is decoded as long as there is room for it.
    private mutating func edit(
        _ frame: inout GRPCFrame,
        _ bytes: Span<UInt8>,
        _ label: ContentLabel,
        _ room: inout Int
    ) {
        frame.content = Array(copying: bytes.extracting(frame.payload))
        if frame.flags & 1 != 0 {
            guard let content = decoded(frame.content, room) else {
                // What was decoded before the failure is not known, so nothing more is decoded.
                room = 0
                guard rules.masksInDoubt else { return }
                frame.edits.add(0..<frame.content.count, rules.inDoubt) { _ in }
                frame.content = rules.replacement.maskText
                return
            }
            room -= content.count
            frame.content = content
        }
        let outer = exchange(&edits, with: EditList())
        if frame.flags & 0x80 != 0 {
            editTrailers(frame.content.span)
        } else {
            let whole = 0..<frame.content.count
            editGRPCMessage(frame.content.span, whole, label, isCut: frame.isCut)
        }
        frame.edits = exchange(&edits, with: outer)
        if !frame.edits.isEmpty { frame.content = frame.edits.apply(to: frame.content.span) }
    }

    /// Decodes a compressed message; returns `nil` if it cannot be decoded, or is larger than the
    /// room.
    private mutating func decoded(_ content: [UInt8], _ room: Int) -> [UInt8]? {
        guard room > 0 else { return nil }
        let coding = ContentCoding(name: call.encoding.span)
        do throws(CodingError) {
            let decoded = try coder.decode(content.span, [coding])
            return decoded.count <= room ? decoded : nil
        } catch {
            return nil
        }
    }

    /// Edits a message: protobuf, or what the suffix of the media type names.
    private mutating func editGRPCMessage(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel,
        isCut: Bool
    ) {
        guard !range.isEmpty else { return }
        guard !GRPCForm.isProtobuf(contentType: label.type.span) else {
            return editProtobuf(bytes, range, label, isCut: isCut)
        }
        var inner = ContentLabel(type: Span())
        let plus = label.type.span.firstIndex(of: .ascii("+")) ?? 0
        let suffix = label.type.span.extracting(plus..<label.type.count)
        inner.kind = suffix.starts(withIgnoringCase: "+json") ? .json : .data
        inner.type = label.type
        edit(bytes, range, inner)
    }

    /// Edits the trailers of gRPC-Web: lines of fields.
    private mutating func editTrailers(_ bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count {
            let feed = bytes.firstIndex(of: 0x0A, from: start) ?? bytes.count
            let isCRLF = feed > start && bytes[feed - 1] == 0x0D
            let end = isCRLF ? feed - 1 : feed
            if let colon = bytes.extracting(0..<end).firstIndex(of: .ascii(":"), from: start) {
                let value = bytes.trimmed(colon + 1..<end)
                editFieldLine(bytes, bytes.trimmed(start..<colon), value)
            } else {
                rules.maskRest(bytes, start..<end, &edits)
            }
            start = feed + 1
        }
    }
}

/// The media types of both directions of a call, as captured.
struct GRPCTypes {
    var request = ByteString()
    var response = ByteString()

    init(_ exchange: borrowing Exchange) {
        request = exchange.request.contentType
        response = exchange.response?.contentType ?? request
    }
}

/// A message of a gRPC body with its head.
private struct GRPCFrame {
    let flags: UInt8
    let range: Range<Int>
    let payload: Range<Int>
    /// Whether the body ends within the message.
    let isCut: Bool
    /// The message, decoded and edited.
    var content: [UInt8] = []
    var edits = EditList()

    /// Reads the head of a message; returns `nil` if there is none, or if it is longer than the body
    /// although this is whole.
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

    /// Returns an uncompressed message with its head.
    static func bytes(_ content: [UInt8], isTrailers: Bool) -> [UInt8] {
        let count = UInt32(clamping: content.count)
        let head: [UInt8] =
            [isTrailers ? 0x80 : 0]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
        return head + content
    }
}

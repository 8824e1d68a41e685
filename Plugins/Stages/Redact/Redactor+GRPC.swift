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
    /// Compressed data and text are declared so too. The frames of gRPC begin like neither of them.
    mutating func editMessages(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) -> Bool {
        let content = bytes.extracting(range)
        guard label.kind == .grpc else { return editProtobufBody(bytes, range, label) }
        if !label.isInner, search.finder.wholeForm(of: content)?.isCompressed == true {
            return false
        }
        let form = GRPCForm(contentType: label.type.span)
        if form != .webText {
            guard GRPCHead(content, 0, form == .web, call.isTruncated) != nil else { return false }
        }
        editGRPC(bytes, range, label)
        return true
    }

    /// Edits a body that is declared as protobuf; returns whether it is.
    ///
    /// What can also be read as JSON or as compressed data is edited as both.
    private mutating func editProtobufBody(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) -> Bool {
        let content = bytes.extracting(range)
        let isMessage = ProtobufReader.reads(content, 0..<content.count)
        let isJSON = JSONText.isLikely(bytes, range)
        let isCompressed =
            !label.isInner && search.finder.wholeForm(of: content)?.isCompressed == true
        guard isJSON || isCompressed else {
            guard
                call.isTruncated || isMessage
                    || (keepsUnnamed(label)
                        && (messageType(label) != nil || !Readability.isText(content)))
            else { return false }
            editProtobuf(bytes, range, label, isCut: call.isTruncated)
            return true
        }
        guard isMessage || call.isTruncated || (isJSON && !isWholeJSON(bytes, range)) else {
            return false
        }
        let asMessage = collect { $0.editProtobuf(bytes, range, label, isCut: $0.call.isTruncated) }
        let asOther = collect { $0.editContent(bytes, range, label) }
        addEdits(asMessage, asOther, of: range)
        return true
    }

    /// Adds the edits of two readings of a range; if both found something, the range is masked, since
    /// the edits of one reading may leave what the other one found.
    private mutating func addEdits(
        _ first: EditList,
        _ second: EditList,
        of range: Range<Int>
    ) {
        if !first.isEmpty, !second.isEmpty {
            edits.add(range, rules.replacement.maskText.span, by: first)
        } else {
            edits.merge(first.isEmpty ? second : first)
        }
    }

    /// Whether a text is JSON from its beginning to its end.
    private mutating func isWholeJSON(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var found = EditList()
        return json.edit(bytes, range, rules, &found) && !json.isCut
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
            let isFramed = GRPCHead(frames.span, 0, true, true) != nil
            return editLost(bytes, range, label, isFramed: isFramed)
        }
        let inner = collect {
            $0.editFrames(frames.span, 0..<frames.count, label, hasTrailers: true)
        }
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
        var frames = GRPCFrames()
        var room = rules.limits.maxDecodedBytes
        let content = bytes.extracting(0..<range.upperBound)
        while let head = GRPCHead(content, position, hasTrailers, call.isTruncated) {
            position = head.range.upperBound
            guard !head.payload.isEmpty else {
                if head.isTrailers { break }
                continue
            }
            let (content, found) = edited(head, bytes, label, &room)
            if !found.isEmpty || search.hasDetectors { frames.append(head, content, found) }
            if head.isTrailers { break }
        }
        editSplitValues(&frames)
        frames.add(to: &edits)
        guard position < range.upperBound else { return }
        let isFramed = position > range.lowerBound
        editLost(bytes, position..<range.upperBound, label, isFramed: isFramed)
    }

    /// Edits bytes in which the places of messages or fields are not known: they are masked, even
    /// without a preset, if messages precede them, if names of fields should apply to them, or if
    /// the part that could be read has secrets.
    mutating func editLost(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel,
        isFramed: Bool = false,
        hasSecrets: Bool = false
    ) {
        guard isFramed || hasSecrets || messageType(label) != nil else {
            return editUnreadable(bytes, range, label)
        }
        edits.add(range, rules.inDoubt) { $0 += rules.replacement.maskText }
    }

    /// Edits the values that are split over messages.
    private mutating func editSplitValues(_ frames: inout GRPCFrames) {
        let messages = frames.indices.filter { !frames.isTrailers($0) }
        guard search.hasDetectors, messages.count > 1 else { return }
        var values = SplitValues()
        for position in messages {
            let content = frames.content(of: position)
            guard !values.add(content.span, of: position) else { continue }
            var found = EditList()
            rules.maskRest(content.span, 0..<content.count, &found)
            if !found.isEmpty { frames.replace(position, found.apply(to: content.span), found) }
        }
        var found = editSplitValues(values)
        for position in messages where found.concerns(position) {
            var edits = EditList()
            let content = found.apply(to: frames.content(of: position).span, of: position, &edits)
            frames.replace(position, content, edits)
        }
    }

    /// Returns the content of a message, which is decoded as long as there is room for it, and the
    /// edits that were made.
    private mutating func edited(
        _ head: GRPCHead,
        _ bytes: Span<UInt8>,
        _ label: ContentLabel,
        _ room: inout Int
    ) -> (content: [UInt8], edits: EditList) {
        var content = Array(copying: bytes.extracting(head.payload))
        if head.isCompressed {
            guard let decoded = decoded(content, &room) else {
                var found = EditList()
                found.add(0..<content.count, rules.inDoubt) { _ in }
                return (rules.replacement.maskText, found)
            }
            content = decoded
        }
        let inner = collect {
            if head.isTrailers {
                $0.editTrailers(content.span)
            } else {
                $0.editGRPCMessage(content.span, 0..<content.count, label, isCut: head.isCut)
            }
        }
        return (inner.isEmpty ? content : inner.apply(to: content.span), inner)
    }

    /// The room that a message takes at least if it cannot be decoded, since trying takes time.
    private static let leastRoom = 4_096

    /// Decodes a compressed message; returns `nil` if it cannot be decoded, or is larger than the
    /// room.
    private mutating func decoded(_ content: [UInt8], _ room: inout Int) -> [UInt8]? {
        guard room > 0 else { return nil }
        let coding = ContentCoding(name: call.encoding.span)
        var decoded: [UInt8] = []
        do throws(CodingError) {
            try coder.decode(content.span, coding, appendingTo: &decoded)
            room -= decoded.count
            return room >= 0 ? decoded : nil
        } catch {
            room -= max(decoded.count, Redactor.leastRoom)
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
        // The method determines the type of its messages, whatever their sender declares.
        let isMessage =
            messageType(label) != nil
            && (ProtobufReader.reads(bytes, range)
                || !(inner.kind == .json && isWholeJSON(bytes, range)))
        let asMessage = collect {
            if isMessage { $0.editProtobuf(bytes, range, label, isCut: isCut) }
        }
        let asOther = collect { $0.edit(bytes, range, inner) }
        addEdits(asMessage, asOther, of: range)
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

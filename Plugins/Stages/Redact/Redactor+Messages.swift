// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// The maximum number of messages that may contain one text.
    private static let maxParts = 16

    /// Messages that together contain one JSON text.
    private struct Join {
        var parts: [Int]
        /// Whether the text ends in the last message.
        var isWhole: Bool
    }

    /// Redacts the messages of a stream one by one; JSON that continues in the next messages of the
    /// same direction is redacted as one text.
    ///
    /// If that text never ends, its messages are redacted as one and then again one by one, since
    /// text within a string for one reader may be a secret for another. No message is joined twice,
    /// so the number of reads is bounded by the number of joined messages.
    mutating func redact(_ messages: inout [StreamMessage], _ types: GRPCTypes?) {
        var isDone = [Bool](repeating: false, count: messages.count)
        var isJoined = isDone
        for position in messages.indices {
            if !messages[position].event.isEmpty || !messages[position].eventID.isEmpty {
                messages[position].event = redactedFreeName(messages[position].event)
                messages[position].eventID = redactedFreeName(messages[position].eventID)
            }
            if isDone[position] { continue }
            if messages[position].type == "grpc", let types {
                redactGRPC(&messages[position], types)
                continue
            }
            let original = messages[position].bytes
            let isJSON = redactMessage(
                &messages[position].bytes,
                isData: messages[position].type == "binary"
            )
            guard isJSON, json.isCut, !isJoined[position],
                let join = join(from: position, messages, original)
            else { continue }
            messages[position].bytes = original
            redact(join.parts, of: &messages)
            for part in join.parts {
                isJoined[part] = true
                isDone[part] = join.isWhole
            }
            if !join.isWhole { _ = redactMessage(&messages[position].bytes) }
        }
        if types != nil {
            redactSplitValues(of: .up, &messages)
            redactSplitValues(of: .down, &messages)
        }
    }

    /// Redacts the values that are split over the gRPC messages of a direction.
    private mutating func redactSplitValues(
        of direction: StreamMessage.Direction,
        _ messages: inout [StreamMessage]
    ) {
        let positions = messages.indices.filter {
            messages[$0].type == "grpc" && messages[$0].direction == direction
        }
        guard search.hasDetectors, positions.count > 1 else { return }
        var values = SplitValues()
        for position in positions {
            let bytes = messages[position].bytes
            guard !values.add(bytes.span, of: position) else { continue }
            edits.reset()
            rules.maskRest(bytes.span, 0..<bytes.count, &edits)
            messages[position].bytes = applyEdits(to: bytes.span)
        }
        var found = editSplitValues(values)
        for position in positions where found.concerns(position) {
            edits.reset()
            let bytes = messages[position].bytes
            messages[position].bytes = found.apply(to: bytes.span, of: position, &edits)
            counter.count(edits)
        }
    }

    /// Returns the messages that contain the JSON that begins in one of them; `nil` if the next
    /// ones do not continue it.
    private mutating func join(
        from first: Int,
        _ messages: [StreamMessage],
        _ original: [UInt8]
    ) -> Join? {
        var join = Join(parts: [first], isWhole: false)
        var text = original
        for next in messages.indices.dropFirst(first + 1)
        where messages[next].direction == messages[first].direction {
            guard join.parts.count < Redactor.maxParts,
                text.count + messages[next].bytes.count <= rules.limits.maxDecodedBytes
            else { break }
            text += messages[next].bytes
            var found = EditList()
            join.isWhole = json.edit(text.span, 0..<text.count, rules, &found) && !json.isCut
            guard join.isWhole || json.isCut else { break }
            join.parts.append(next)
            if join.isWhole { break }
        }
        return join.parts.count > 1 ? join : nil
    }

    /// Redacts one JSON text that several messages contain.
    private mutating func redact(_ parts: [Int], of messages: inout [StreamMessage]) {
        let text = parts.flatMap { messages[$0].bytes }
        edits.reset()
        json.edit(text.span, 0..<text.count, rules, &edits)
        search.edit(text.span, 0..<text.count, .json, &edits)
        guard !edits.isEmpty else { return }
        counter.count(edits)
        var start = 0
        for part in parts {
            let bytes = messages[part].bytes
            let end = start + bytes.count
            messages[part].bytes = edits.part(start..<end).apply(to: bytes.span)
            start = end
        }
    }
}

extension EditList {
    /// Returns the edits of a part of the text; an edit across its end is written where it begins.
    func part(_ range: Range<Int>) -> EditList {
        var list = EditList()
        forEach { place, text, rule in
            let inner = place.clamped(to: range)
            guard !inner.isEmpty || range.contains(place.lowerBound) else { return }
            let start = inner.lowerBound - range.lowerBound
            let count = place.lowerBound >= range.lowerBound ? text.count : 0
            list.add(start..<start + inner.count, text.extracting(0..<count), rule)
        }
        return list
    }
}

extension Redactor {
    /// Redacts the type or the id of an event, which a server may choose freely; a single word
    /// needs no rules.
    private mutating func redactedFreeName(_ name: String) -> String {
        search.hasDetectors || !name.utf8.allSatisfy(Redactor.isWordByte)
            ? redactedText(name) : name
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .ascii("-"), .ascii("_"), .ascii("."): true
        default: false
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// How many messages may hold one text.
    private static let mostParts = 16

    /// Redacts the messages of a stream, each for itself, but JSON that goes on in the next ones of
    /// the same direction as one text.
    mutating func redact(_ messages: inout [StreamMessage]) {
        var isDone = [Bool](repeating: false, count: messages.count)
        for position in messages.indices where !isDone[position] {
            let original = messages[position].bytes
            let isJSON = redactMessage(&messages[position].bytes)
            guard isJSON, json.isCut, let parts = parts(from: position, messages, original) else {
                continue
            }
            messages[position].bytes = original
            redact(parts, of: &messages)
            for part in parts { isDone[part] = true }
        }
    }

    /// The messages that hold the JSON that begins in one; nothing where it never ends.
    private mutating func parts(
        from first: Int,
        _ messages: [StreamMessage],
        _ original: [UInt8]
    ) -> [Int]? {
        var parts = [first]
        var text = original
        for next in messages.indices.dropFirst(first + 1)
        where messages[next].direction == messages[first].direction
            && messages[next].type == messages[first].type
        {
            guard parts.count < Redactor.mostParts,
                text.count + messages[next].bytes.count <= rules.limits.maxDecodedBytes
            else { return nil }
            parts.append(next)
            text += messages[next].bytes
            var found = EditList()
            let isUnderstood = json.edit(text.span, 0..<text.count, rules, &found)
            if isUnderstood, !json.isCut { return parts }
            guard json.isCut else { return nil }
        }
        return nil
    }

    /// Redacts one JSON text that several messages hold.
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
    /// The edits of a part of the text: what goes over its border is written where it begins.
    fileprivate func part(_ range: Range<Int>) -> EditList {
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

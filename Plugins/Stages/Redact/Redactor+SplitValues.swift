// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Secrets that are split over the messages of a stream, such as the pieces of a file.
extension Redactor {
    /// Searches the values that a field has in the messages as one text, and finds the edits of what
    /// detectors find across their ends.
    ///
    /// **Limits**: the budget for embedded content; values beyond it are masked.
    mutating func editSplitValues(_ values: SplitValues) -> SplitEdits {
        var edits = SplitEdits()
        search.budget.beginBody(values.size)
        for joined in values.joined where joined.leaves.count > 1 {
            var found = EditList()
            if search.budget.bytesOfBody > 0 {
                search.budget.spend(joined.text.count)
                search.edit(joined.text.span, 0..<joined.text.count, .plain, &found)
            } else {
                for position in joined.ends.indices {
                    rules.maskRest(joined.text.span, joined.range(position), &found)
                }
            }
            found.forEachPart(endingAt: joined.ends) { position, part in
                let text = joined.text.span.extracting(joined.range(position))
                edits.add(joined.leaves[position], part, text)
            }
        }
        edits.sort()
        return edits
    }
}

/// The strings and bytes of messages, by the paths of their fields.
///
/// **Units**: at most `maxLeaves` values and `maxPaths` paths, so that memory stays in proportion.
struct SplitValues {
    /// A value within a message.
    struct Leaf {
        /// The number of the message.
        let message: Int
        /// Where it is in the message.
        let range: Range<Int>
    }

    /// The values of a path.
    struct Joined {
        var leaves: [Leaf] = []
        /// The values, one after the other.
        var text: [UInt8] = []
        /// Where each value ends in the text.
        var ends: [Int] = []

        /// Where a value is in the text.
        func range(_ position: Int) -> Range<Int> {
            (position == 0 ? 0 : ends[position - 1])..<ends[position]
        }
    }

    /// A field of the messages at a path, which is a number.
    private struct Step: Hashable {
        let path: Int
        let number: Int
    }

    private static let maxDepth = 64
    private static let maxLeaves = 500_000
    private static let maxPaths = 20_000

    private var paths: [Step: Int] = [:]
    private var count = 0
    private var isFull = false
    private(set) var joined: [Joined] = []

    /// The size of all values.
    var size: Int { joined.reduce(0) { $0 + $1.text.count } }

    /// Adds the values of a message; returns whether there was room for all of them.
    ///
    /// After one for which there was none, no more are added.
    mutating func add(_ bytes: Span<UInt8>, of message: Int) -> Bool {
        guard !isFull else { return bytes.isEmpty }
        if collect(bytes, message, path: -1, 0, depth: 0) { return true }
        isFull = true
        for path in joined.indices {
            while let leaf = joined[path].leaves.last, leaf.message == message {
                joined[path].leaves.removeLast()
                joined[path].text.removeLast(leaf.range.count)
                joined[path].ends.removeLast()
            }
        }
        return false
    }

    private mutating func collect(
        _ bytes: Span<UInt8>,
        _ message: Int,
        path: Int,
        _ offset: Int,
        depth: Int
    ) -> Bool {
        var reader = ProtobufReader(0..<bytes.count)
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard !field.value.isEmpty,
                field.wireType == .lengthDelimited || field.wireType == .group
            else { continue }
            let content = bytes.extracting(field.value)
            let start = offset + field.value.lowerBound
            guard let inner = self.path(of: Step(path: path, number: field.number)) else {
                return false
            }
            if Self.isMessage(field, content, depth) {
                guard collect(content, message, path: inner, start, depth: depth + 1) else {
                    return false
                }
            } else if field.wireType == .lengthDelimited {
                guard count < Self.maxLeaves else { return false }
                count += 1
                joined[inner].leaves.append(
                    Leaf(message: message, range: start..<start + content.count)
                )
                joined[inner].text.append(copying: content)
                joined[inner].ends.append(joined[inner].text.count)
            }
        }
        return true
    }

    private mutating func path(of step: Step) -> Int? {
        if let known = paths[step] { return known }
        guard joined.count < Self.maxPaths else { return nil }
        paths[step] = joined.count
        joined.append(Joined())
        return joined.count - 1
    }

    /// Whether a value is read as a message.
    private static func isMessage(
        _ field: ProtobufField,
        _ content: Span<UInt8>,
        _ depth: Int
    ) -> Bool {
        guard depth < maxDepth else { return false }
        if field.wireType == .group { return true }
        let readings = ProtobufReadings(content, depth: maxDepth - depth)
        return readings.isMessage && !readings.isText
    }
}

/// The edits of values that are split over messages.
struct SplitEdits {
    private struct Value {
        let leaf: SplitValues.Leaf
        let content: [UInt8]
        let edits: EditList
    }

    private var values: [Value] = []
    private var next = 0

    /// Adds the edits of a value.
    mutating func add(_ leaf: SplitValues.Leaf, _ edits: EditList, _ text: Span<UInt8>) {
        guard !edits.isEmpty else { return }
        values.append(Value(leaf: leaf, content: edits.apply(to: text), edits: edits))
    }

    /// Sorts the values by message and position, as `apply` needs them.
    mutating func sort() {
        values.sort {
            ($0.leaf.message, $0.leaf.range.lowerBound)
                < ($1.leaf.message, $1.leaf.range.lowerBound)
        }
    }

    /// Whether values of a message were edited; messages are asked about in order.
    mutating func concerns(_ message: Int) -> Bool {
        while next < values.count, values[next].leaf.message < message { next += 1 }
        return next < values.count && values[next].leaf.message == message
    }

    /// Returns the next message with edited values, and with the lengths that these have; their
    /// edits are added to a list.
    mutating func apply(
        to bytes: Span<UInt8>,
        of message: Int,
        _ edits: inout EditList
    ) -> [UInt8] {
        let first = next
        let output = written(bytes, message, 0)
        for value in values[first..<next] {
            edits.merge(value.edits, offset: value.leaf.range.lowerBound)
        }
        return output
    }

    /// Whether the next edited value begins before a position of a message.
    private func isNext(before position: Int, of message: Int) -> Bool {
        next < values.count && values[next].leaf.message == message
            && values[next].leaf.range.lowerBound < position
    }

    /// Returns a message, or a nested one that begins at `offset`, with its edited values.
    private mutating func written(
        _ bytes: Span<UInt8>,
        _ message: Int,
        _ offset: Int
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var reader = ProtobufReader(0..<bytes.count)
        while isNext(before: offset + bytes.count, of: message),
            let field = (try? reader.next(in: bytes)) ?? nil
        {
            let place = offset + field.value.lowerBound..<offset + field.value.upperBound
            let content = bytes.extracting(field.value)
            if !isNext(before: place.upperBound, of: message) {
                output.append(copying: bytes.extracting(field.range))
            } else if values[next].leaf.range == place {
                let value = values[next].content
                ProtobufWriter.append(field.number, value.span, to: &output)
                next += 1
            } else {
                let inner = written(content, message, place.lowerBound)
                ProtobufWriter.append(field.number, inner.span, over: field, to: &output)
            }
        }
        output.append(copying: bytes.extracting(reader.position..<bytes.count))
        return output
    }
}

extension ProtobufWriter {
    /// Appends another content of a length-delimited field or a group.
    static func append(
        _ number: Int,
        _ content: Span<UInt8>,
        over field: ProtobufField,
        to output: inout [UInt8]
    ) {
        guard field.wireType == .group else {
            append(number, content, to: &output)
            return
        }
        append(tag: number, .group, to: &output)
        output.append(copying: content)
        append(tag: number, .endOfGroup, to: &output)
    }
}

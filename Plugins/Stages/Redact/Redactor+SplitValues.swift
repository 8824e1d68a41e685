// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Secrets that are split over the messages of a stream, such as the pieces of a file.
extension Redactor {
    /// Searches the values that a field has in the messages as one text, and replaces what detectors
    /// find across their ends.
    ///
    /// - Parameter messages: The messages of one direction, in order; each was searched alone.
    /// - Returns: The edits of the messages that were changed, by their positions.
    mutating func redactSplitValues(_ messages: inout [[UInt8]]) -> [Int: EditList] {
        guard search.hasDetectors, messages.count > 1 else { return [:] }
        var leaves: [[Int]: [ProtobufLeaf]] = [:]
        for (position, message) in messages.enumerated() {
            ProtobufLeaf.collect(message.span, position, [], 0, &leaves)
        }
        var changes: [Int: [Int: ProtobufLeaf]] = [:]
        var edits: [Int: EditList] = [:]
        for values in leaves.values where values.count > 1 {
            let size = values.reduce(0) { $0 + $1.range.count }
            guard size <= rules.limits.maxDecodedBytes else { continue }
            var joined: [UInt8] = []
            joined.reserveCapacity(size)
            for leaf in values { joined += messages[leaf.message][leaf.range] }
            var found = EditList()
            search.edit(joined.span, 0..<joined.count, .plain, &found)
            guard !found.isEmpty else { continue }
            var start = 0
            for var leaf in values {
                let part = found.part(start..<start + leaf.range.count)
                start += leaf.range.count
                guard !part.isEmpty else { continue }
                leaf.content = part.apply(to: Array(messages[leaf.message][leaf.range]).span)
                changes[leaf.message, default: [:]][leaf.range.lowerBound] = leaf
                edits[leaf.message, default: EditList()].merge(part, offset: leaf.range.lowerBound)
            }
        }
        for (position, leaves) in changes {
            let message = messages[position]
            messages[position] = ProtobufLeaf.replace(leaves, in: message.span, 0)
        }
        return edits
    }
}

/// A string or bytes within a message.
struct ProtobufLeaf {
    /// The position of the message.
    let message: Int
    /// Where the value is in the message.
    let range: Range<Int>
    /// What it is replaced with.
    var content: [UInt8] = []

    private static let maxDepth = 64
    /// The maximum number of values of all messages together; later ones are not joined.
    private static let maxCount = 100_000

    /// Adds the values of a message by their paths; `offset` is where it begins.
    static func collect(
        _ bytes: Span<UInt8>,
        _ message: Int,
        _ path: [Int],
        _ offset: Int,
        _ leaves: inout [[Int]: [ProtobufLeaf]]
    ) {
        var reader = ProtobufReader(0..<bytes.count)
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard !field.value.isEmpty else { continue }
            let content = bytes.extracting(field.value)
            let start = offset + field.value.lowerBound
            let inner = path + [field.number]
            if isMessage(field, content, path.count) {
                collect(content, message, inner, start, &leaves)
            } else if field.wireType == .lengthDelimited, leaves.count < maxCount {
                let leaf = ProtobufLeaf(message: message, range: start..<start + content.count)
                leaves[inner, default: []].append(leaf)
            }
        }
    }

    /// Whether a value is read as a message.
    private static func isMessage(
        _ field: ProtobufField,
        _ content: Span<UInt8>,
        _ depth: Int
    ) -> Bool {
        guard depth < maxDepth else { return false }
        if field.wireType == .group { return true }
        guard field.wireType == .lengthDelimited else { return false }
        let readings = ProtobufReadings(content, depth: maxDepth - depth)
        return readings.isMessage && !readings.isText
    }

    /// Returns a message with other values, by where they begin, and with the lengths that these
    /// have.
    static func replace(
        _ leaves: [Int: ProtobufLeaf],
        in bytes: Span<UInt8>,
        _ offset: Int
    ) -> [UInt8] {
        var output: [UInt8] = []
        var reader = ProtobufReader(0..<bytes.count)
        while let field = (try? reader.next(in: bytes)) ?? nil {
            let place = offset + field.value.lowerBound..<offset + field.value.upperBound
            let content = bytes.extracting(field.value)
            if let leaf = leaves[place.lowerBound], leaf.range == place {
                ProtobufWriter.append(field.number, leaf.content.span, to: &output)
            } else if !leaves.keys.contains(where: place.contains) {
                output.append(copying: bytes.extracting(field.range))
            } else if field.wireType == .group {
                ProtobufWriter.append(tag: field.number, .group, to: &output)
                output += replace(leaves, in: content, place.lowerBound)
                ProtobufWriter.append(tag: field.number, .endOfGroup, to: &output)
            } else {
                let inner = replace(leaves, in: content, place.lowerBound)
                ProtobufWriter.append(field.number, inner.span, to: &output)
            }
        }
        output.append(copying: bytes.extracting(reader.position..<bytes.count))
        return output
    }
}

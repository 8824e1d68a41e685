// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The texts and attributes of an XML document, or the texts of an HTML document, with their paths.
///
/// The reader is tolerant, since pages are often not well-formed: an end tag closes the nearest
/// element of its name, and is ignored if there is none. White space is collapsed. Comments,
/// declarations, scripts and styles are skipped; entities are compared as written.
///
/// **Limits**: 512 levels; 100,000 leaves, whose paths and values have 64 MiB. What exceeds them is
/// not compared, and `isCut` is `true`.
struct MarkupLeaves {
    /// A text or an attribute.
    struct Leaf {
        let path: [UInt8]
        let place: [UInt8]
        let value: [UInt8]
    }

    /// An element that is open.
    private struct Element {
        let name: [UInt8]
        /// How often each name has occurred among its children.
        var children: [[UInt8]: Int] = [:]
        var texts = 0
        /// How many steps the element has in the path.
        let steps: Int
    }

    private static let maxDepth = 512
    private static let maxLeaves = 100_000
    private static let maxBytes = 64 << 20

    /// Elements of HTML that have no end tag (HTML standard, "void elements").
    private static let voidElements: Set<[UInt8]> = Set(
        [
            "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
            "track", "wbr",
        ].map { Array($0.utf8) }
    )
    /// Elements of HTML whose content is no text for people.
    private static let skippedElements: Set<[UInt8]> = Set(
        ["script", "style", "template", "noscript"].map { Array($0.utf8) }
    )

    private let isHTML: Bool
    private var path: DifferencePath
    private var open: [Element]
    private(set) var leaves: [Leaf] = []
    /// Whether the document has leaves that are not kept.
    private(set) var isCut = false
    /// The size of what is kept, in bytes.
    private var memory = 0

    init(_ bytes: Span<UInt8>, isHTML: Bool) {
        self.isHTML = isHTML
        path = DifferencePath(root: isHTML ? "html" : "xml", hidesPositions: true)
        open = [Element(name: [], steps: 0)]
        read(bytes)
    }

    private mutating func read(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count, !isCut {
            let start = bytes.firstIndex(of: .ascii("<"), from: position) ?? bytes.count
            addText(bytes.extracting(position..<start))
            guard start < bytes.count else { return }
            let rest = bytes.extracting(start..<bytes.count)
            if rest.starts(with: "<!--") {
                position = Self.end(of: "-->", in: bytes, from: start + 4)
            } else if rest.starts(with: "<![CDATA[") {
                position = Self.end(of: "]]>", in: bytes, from: start + 9)
                addText(bytes.extracting(start + 9..<max(position - 3, start + 9)))
            } else if rest.starts(with: "<!") || rest.starts(with: "<?") {
                position = Self.end(of: ">", in: bytes, from: start + 2)
            } else if rest.starts(with: "</") {
                position = Self.end(of: ">", in: bytes, from: start + 2)
                close(name(in: bytes, from: start + 2).name)
            } else {
                position = readTag(bytes, from: start + 1)
            }
        }
    }

    /// Returns where a mark ends; the end of the bytes if it does not occur.
    private static func end(of mark: String, in bytes: Span<UInt8>, from start: Int) -> Int {
        guard start < bytes.count,
            let found = bytes.firstIndex(of: mark.utf8.span, in: start..<bytes.count)
        else { return bytes.count }
        return found + mark.utf8.count
    }

    private func name(in bytes: Span<UInt8>, from start: Int) -> (name: [UInt8], end: Int) {
        var end = start
        while end < bytes.count, bytes[end] > 0x20, bytes[end] != .ascii(">"),
            bytes[end] != .ascii("/"), bytes[end] != .ascii("=")
        {
            end += 1
        }
        let name = Array(copying: bytes.extracting(start..<end))
        return (isHTML ? name.map(\.asciiLowercased) : name, end)
    }

    /// Reads a start tag; returns where the content after it begins.
    private mutating func readTag(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let (name, nameEnd) = name(in: bytes, from: start)
        // A lone `<` in a text.
        guard !name.isEmpty else { return start }
        push(name)
        var position = nameEnd
        var isClosed = false
        while position < bytes.count, bytes[position] != .ascii(">") {
            if bytes[position] <= 0x20 || bytes[position] == .ascii("/") {
                isClosed = bytes[position] == .ascii("/")
                position += 1
                continue
            }
            isClosed = false
            position = readAttribute(bytes, from: position)
        }
        position = min(position + 1, bytes.count)
        if isHTML, Self.skippedElements.contains(name) {
            close(name)
            return endOfSkipped(name, in: bytes, from: position)
        }
        if isClosed || isHTML && Self.voidElements.contains(name) { close(name) }
        return position
    }

    /// Returns where the end tag of an element whose content is skipped ends.
    private func endOfSkipped(_ name: [UInt8], in bytes: Span<UInt8>, from start: Int) -> Int {
        let mark = "</"
        var position = start
        while position < bytes.count,
            let found = bytes.firstIndex(of: mark.utf8.span, in: position..<bytes.count)
        {
            position = found + 2
            if self.name(in: bytes, from: position).name == name {
                return Self.end(of: ">", in: bytes, from: position)
            }
        }
        return bytes.count
    }

    /// Reads an attribute; returns where it ends, after its first byte at least.
    private mutating func readAttribute(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let (name, nameEnd) = name(in: bytes, from: start)
        guard nameEnd < bytes.count, bytes[nameEnd] == .ascii("=") else {
            return max(nameEnd, start + 1)
        }
        var valueStart = nameEnd + 1
        while valueStart < bytes.count, bytes[valueStart] <= 0x20 { valueStart += 1 }
        guard valueStart < bytes.count else { return bytes.count }
        let quote = bytes[valueStart]
        let value: Range<Int>
        let end: Int
        if quote == .ascii("\"") || quote == .ascii("'") {
            valueStart += 1
            value = valueStart..<(bytes.firstIndex(of: quote, from: valueStart) ?? bytes.count)
            end = value.upperBound + 1
        } else {
            var position = valueStart
            while position < bytes.count, bytes[position] > 0x20, bytes[position] != .ascii(">") {
                position += 1
            }
            value = valueStart..<position
            end = position
        }
        if !isHTML {
            path.push(name: ([.ascii("@")] + name).span)
            add(Array(copying: bytes.extracting(value)))
            path.pop()
        }
        return min(max(end, start + 1), bytes.count)
    }

    private mutating func push(_ name: [UInt8]) {
        guard open.count < Self.maxDepth else { return }
        let count = open[open.count - 1].children[name, default: 0]
        open[open.count - 1].children[name] = count + 1
        path.push(name: name.span)
        if count > 0 { path.push(index: count) }
        open.append(Element(name: name, steps: count > 0 ? 2 : 1))
    }

    private mutating func close(_ name: [UInt8]) {
        guard let position = open.lastIndex(where: { $0.name == name }), position > 0 else {
            return
        }
        while open.count > position {
            let element = open.removeLast()
            for _ in 0..<element.steps { path.pop() }
        }
    }

    private mutating func addText(_ text: Span<UInt8>) {
        var value: [UInt8] = []
        var hasBlank = false
        for index in text.indices {
            let byte = text[index]
            if byte <= 0x20 {
                hasBlank = !value.isEmpty
            } else {
                if hasBlank { value.append(.ascii(" ")) }
                hasBlank = false
                value.append(byte)
            }
        }
        guard !value.isEmpty else { return }
        let count = open[open.count - 1].texts
        open[open.count - 1].texts = count + 1
        if count > 0 { path.push(index: count) }
        add(value)
        if count > 0 { path.pop() }
    }

    private mutating func add(_ value: [UInt8]) {
        // The path is stored with and without positions.
        memory += 2 * path.place.count + value.count
        guard memory <= Self.maxBytes, leaves.count < Self.maxLeaves else {
            isCut = true
            return
        }
        leaves.append(Leaf(path: path.general, place: path.place, value: value))
    }
}

extension MarkupLeaves {
    /// Lists the leaves in which two documents differ.
    ///
    /// If a document was cut, a leaf may be in the rest of it, and is not reported as missing there.
    ///
    /// - Returns: Whether both documents were compared completely.
    static func compare(
        _ recorded: MarkupLeaves,
        _ found: MarkupLeaves,
        _ differences: inout DifferenceList
    ) -> Bool {
        var values: [[UInt8]: (value: [UInt8], path: [UInt8], number: Int)] = [:]
        for (number, leaf) in found.leaves.enumerated() {
            values[leaf.place] = (leaf.value, leaf.path, number)
        }
        for leaf in recorded.leaves {
            let other = values.removeValue(forKey: leaf.place)
            guard other?.value != leaf.value, other != nil || !found.isCut else { continue }
            differences.append(
                FoundDifference(
                    path: leaf.path,
                    place: leaf.place,
                    ComparedValue(.string, leaf.value.span),
                    other.map { ComparedValue(.string, $0.value.span) } ?? .absent
                )
            )
        }
        guard !recorded.isCut else { return false }
        for (place, other) in values.sorted(by: { $0.value.number < $1.value.number }) {
            differences.append(
                FoundDifference(
                    path: other.path,
                    place: place,
                    .absent,
                    ComparedValue(.string, other.value.span)
                )
            )
        }
        return !found.isCut
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension IssuedValues {
    /// Adds the inputs of forms, the `meta` elements and the links of two pages.
    mutating func readHTML(_ recorded: [UInt8], _ live: [UInt8]) {
        let former = HTMLValues(recorded.span)
        let now = HTMLValues(live.span)
        for (kind, name, value, other) in HTMLValues.paired(former.named, now.named) {
            add(ValuePlace(kind == .input ? .form(name) : .meta(name)), value, other)
        }
        for (link, other) in HTMLValues.paired(former.links, now.links) {
            addURL(.link, link, other)
        }
    }
}

/// The values in a page that requests may send back.
///
/// Reads tags without building a tree; what a browser would repair may be missed.
struct HTMLValues {
    enum Kind: Hashable {
        case input, meta
    }

    private struct Name: Hashable {
        let kind: Kind
        let name: ByteString
    }

    /// The most tags that are read.
    private static let maxTags = 20_000

    private(set) var named: [(kind: Kind, name: ByteString, value: [UInt8])] = []
    private(set) var links: [[UInt8]] = []

    init(_ page: Span<UInt8>) {
        var position = 0
        var tags = 0
        while tags < Self.maxTags, let open = page.firstIndex(of: .ascii("<"), from: position) {
            tags += 1
            var end = open + 1
            while end < page.count, page[end].isLetter { end += 1 }
            let name = page.extracting(open + 1..<end)
            position = max(end, open + 1)
            if name.equalsIgnoringCase("input") || name.equalsIgnoringCase("meta")
                || name.equalsIgnoringCase("a") || name.equalsIgnoringCase("form")
            {
                read(name, page, &position)
            }
        }
    }

    private mutating func read(_ tag: Span<UInt8>, _ page: Span<UInt8>, _ position: inout Int) {
        var name: [UInt8] = []
        var value: [UInt8] = []
        while let attribute = HTMLAttribute(page, &position) {
            let key = page.extracting(attribute.name)
            if key.equalsIgnoringCase("name") || key.equalsIgnoringCase("property") {
                name = attribute.value
            } else if key.equalsIgnoringCase("value") || key.equalsIgnoringCase("content") {
                value = attribute.value
            } else if key.equalsIgnoringCase("href") || key.equalsIgnoringCase("action") {
                links.append(attribute.value)
            }
        }
        guard !name.isEmpty, !value.isEmpty else { return }
        if tag.equalsIgnoringCase("input") {
            named.append((.input, ByteString(name), value))
        } else if tag.equalsIgnoringCase("meta") {
            named.append((.meta, ByteString(name), value))
        }
    }

    // MARK: Pairs

    /// The values of the same name, in the order of the pages.
    static func paired(
        _ recorded: [(kind: Kind, name: ByteString, value: [UInt8])],
        _ live: [(kind: Kind, name: ByteString, value: [UInt8])]
    ) -> [(Kind, ByteString, [UInt8], [UInt8])] {
        var found: [Name: [[UInt8]]] = [:]
        for item in live {
            found[Name(kind: item.kind, name: item.name), default: []].append(item.value)
        }
        var used: [Name: Int] = [:]
        return recorded.compactMap { item in
            let name = Name(kind: item.kind, name: item.name)
            let number = used[name, default: 0]
            used[name] = number + 1
            guard let values = found[name], number < values.count else { return nil }
            return (item.kind, item.name, item.value, values[number])
        }
    }

    /// The links of the same form, in the order of the pages: with as many segments, the same first
    /// one, and query items of the same names.
    static func paired(
        _ recorded: [[UInt8]],
        _ live: [[UInt8]]
    ) -> [([UInt8], [UInt8])] {
        var found: [[ByteString]: [[UInt8]]] = [:]
        for link in live { found[form(link.span), default: []].append(link) }
        var used: [[ByteString]: Int] = [:]
        return recorded.compactMap { link in
            let form = form(link.span)
            let number = used[form, default: 0]
            used[form] = number + 1
            guard let links = found[form], number < links.count else { return nil }
            return (link, links[number])
        }
    }

    private static func form(_ link: Span<UInt8>) -> [ByteString] {
        let parts = URIReference(link)
        let segments = RouteTemplate.split(link.extracting(parts.path))
        let names = parts.query.map { IssuedValues.items(link.extracting($0)).map(\.name) }
        let first = segments.first ?? ByteString()
        return [ByteString(String(segments.count)), first] + (names ?? [])
    }
}

/// An attribute of a tag (HTML standard, "Tokenization").
private struct HTMLAttribute {
    let name: Range<Int>
    /// The value, with character references decoded.
    let value: [UInt8]

    /// Reads the next attribute; `nil` at the end of the tag, which the position is then after.
    init?(_ page: Span<UInt8>, _ position: inout Int) {
        while position < page.count, Self.isSpace(page[position]) || page[position] == .ascii("/") {
            position += 1
        }
        guard position < page.count, page[position] != .ascii(">") else { return nil }
        let start = position
        position += 1
        while position < page.count, !Self.endsName(page[position]) { position += 1 }
        name = start..<position
        while position < page.count, Self.isSpace(page[position]) { position += 1 }
        guard position < page.count, page[position] == .ascii("=") else {
            value = []
            return
        }
        position += 1
        while position < page.count, Self.isSpace(page[position]) { position += 1 }
        guard position < page.count else {
            value = []
            return
        }
        let quote = page[position]
        var end = position
        if quote == .ascii("\"") || quote == .ascii("'") {
            position += 1
            end = page.firstIndex(of: quote, from: position) ?? page.count
            value = Self.decoded(page.extracting(position..<end))
            position = min(end + 1, page.count)
        } else {
            while end < page.count, !Self.isSpace(page[end]), page[end] != .ascii(">") { end += 1 }
            value = Self.decoded(page.extracting(position..<end))
            position = end
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0D ~= byte
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == .ascii("=") || byte == .ascii(">") || byte == .ascii("/")
    }

    /// Decodes references to characters by number, and the five by name that XML has.
    private static func decoded(_ text: Span<UInt8>) -> [UInt8] {
        guard text.firstIndex(of: .ascii("&")) != nil else { return Array(copying: text) }
        var output: [UInt8] = []
        EmbeddedForm.references.unescape(text, appendingTo: &output)
        return output
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

extension Response {
    /// Puts values of a live request in the places where a recorded response repeats those of the
    /// recorded request.
    ///
    /// A changed body is sent without a content coding, and with a length of its own.
    ///
    /// - Parameters:
    ///   - live: The request that the response answers.
    ///   - recorded: The request that it answered when it was recorded.
    ///   - masks: The texts that replace values in recordings.
    package mutating func repeatValues(
        of live: borrowing Request,
        insteadOf recorded: borrowing Request,
        masks: Set<String>
    ) {
        let values = EchoedValues(recorded: recorded, live: live, masks: masks)
        guard !values.isEmpty else { return }
        for position in fields.indices {
            let value = Array(copying: fields.value(at: position))
            guard let changed = values.field(fields.name(at: position), value) else { continue }
            fields.replaceValue(at: position, with: changed.span)
        }
        guard let decoded = TokenBody.decoded(body),
            let changed = values.body(decoded, mediaType.description)
        else { return }
        replaceContent(changed)
    }
}

extension EchoedValues {
    /// Returns the value of a field with live values; `nil` if it stays.
    fileprivate func field(_ name: Span<UInt8>, _ value: [UInt8]) -> [UInt8]? {
        if name.equalsIgnoringCase("set-cookie") { return replacingWords(in: value) }
        guard !TokenFields.isIgnoredInResponses(name) else { return nil }
        let changed = text(value, named: String(decoding: Array(copying: name), as: UTF8.self))
        // A line end would begin another field (RFC 9110 §5.5).
        guard let changed, changed.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return changed
    }

    /// Returns a body with live values; `nil` if it stays.
    func body(_ bytes: [UInt8], _ mediaType: String) -> [UInt8]? {
        if bytes.beginsLikeJSON, let changed = json(bytes) {
            return changed.isEmpty ? nil : ByteEdit.apply(changed, to: bytes)
        }
        let type = mediaType.lowercased()
        let isText =
            type.hasPrefix("text/")
            || ["xml", "javascript", "json", "x-www-form-urlencoded"].contains(where: type.contains)
        return isText ? replacingWords(in: bytes) : nil
    }

    /// Returns a text with live values: as a whole, as a URL, or word by word; `nil` if it stays.
    private func text(_ value: [UInt8], named name: String) -> [UInt8]? {
        replacement(for: value, named: name) ?? url(value) ?? replacingWords(in: value)
    }

    // MARK: URLs

    /// Returns a URL or a path with live values; `nil` if it stays or is something else.
    private func url(_ value: [UInt8]) -> [UInt8]? {
        guard let start = EchoedValues.startOfPath(value) else { return nil }
        let end = value[start...].firstIndex(of: .ascii("#")) ?? value.count
        let query = value[start..<end].firstIndex(of: .ascii("?"))
        var edits: [ByteEdit] = []
        var number = 0
        var from = start
        let path = start..<(query ?? end)
        for position in path.lowerBound...path.upperBound
        where position == path.upperBound || value[position] == .ascii("/") {
            let decoded = PercentEncoding.decode(
                value.span.extracting(from..<position),
                plusIsSpace: false
            )
            if number > 0, let live = segment(decoded, at: number) {
                let encoded = PercentEncoding.encode(live.span)
                edits.append(ByteEdit(range: from..<position, bytes: encoded))
            }
            number += 1
            from = position + 1
        }
        if let query { addItems(value, query + 1..<end, &edits) }
        return edits.isEmpty ? nil : ByteEdit.apply(edits, to: value)
    }

    private func addItems(_ value: [UInt8], _ range: Range<Int>, _ edits: inout [ByteEdit]) {
        let bytes = value.span
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            let former = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            let live = replacement(for: former, named: String(decoding: name, as: UTF8.self))
            guard let live else { continue }
            edits.append(ByteEdit(range: item.value, bytes: PercentEncoding.encode(live.span)))
        }
    }

    /// The position of the path in a URL, or in a path itself; `nil` for other texts.
    private static func startOfPath(_ value: [UInt8]) -> Int? {
        if value.first == .ascii("/") { return 0 }
        guard let colon = value.firstIndex(of: .ascii(":")), value.count > colon + 2,
            value[..<colon].allSatisfy({ $0.isLetter }),
            value[colon + 1] == .ascii("/"), value[colon + 2] == .ascii("/")
        else { return nil }
        return value[(colon + 3)...].firstIndex(of: .ascii("/"))
    }

    // MARK: JSON

    /// Returns the replacements in a JSON document; `nil` if the bytes are none.
    private func json(_ bytes: [UInt8]) -> [ByteEdit]? {
        let text = bytes.span
        var parser = JSONParser(maxDepth: JSONValuePath.maxDepth, surrogates: .replace)
        guard let document = try? parser.parse(text) else { return nil }
        var edits: [ByteEdit] = []
        add(document.root, named: "", text, &edits)
        return edits
    }

    private func add(
        _ value: JSONValue,
        named name: String,
        _ text: Span<UInt8>,
        _ edits: inout [ByteEdit]
    ) {
        switch value.kind {
        case .object:
            var members = value.members
            while let member = members.next() {
                let name = String(decoding: Array(copying: member.key.bytes), as: UTF8.self)
                add(member.value, named: name, text, &edits)
            }
        case .array:
            var elements = value.elements
            while let element = elements.next() { add(element, named: name, text, &edits) }
        case .string:
            let live = self.text(Array(copying: value.bytes), named: name)
            guard let live, let written = RequestEdits.string(live) else { return }
            let range = value.offset..<TokenBody.endOfString(text, from: value.offset)
            let bytes = Array(written.dropFirst().dropLast())
            edits.append(ByteEdit(range: range, bytes: bytes))
        case .number:
            let live = replacement(for: Array(copying: value.bytes), named: name)
            guard let live, let written = RequestEdits.number(live) else { return }
            let range = value.offset..<value.offset + value.bytes.count
            edits.append(ByteEdit(range: range, bytes: written))
        case .null, .true, .false: break
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// The bodies of one media type that were observed at one place.
struct ObservedContent {
    /// The largest body that is parsed, and the largest example.
    private static let maxBody = 4 << 20
    private static let maxExample = 16 << 10

    private var shape = ValueShape()
    /// JSON of a redacted exchange; empty if there is none.
    private var example: [UInt8] = []
    /// Whether bodies are bytes rather than text.
    private var isBinary = false

    /// Adds a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - fields: The fields of its message.
    ///   - isRedacted: Whether it may be an example.
    ///   - losses: Counts content that could not be read.
    mutating func observe(
        _ body: Body,
        _ fields: FieldSection,
        isRedacted: Bool,
        _ losses: inout LossReport
    ) {
        guard let content = ReadableContent(body, fields, limit: Self.maxBody), content.isWhole
        else {
            losses.count("body (incomplete)")
            return
        }
        let type = body.mediaType(fields)
        if type.isJSONMediaType {
            observe(json: content.bytes, isRedacted: isRedacted, &losses)
        } else if type == "application/x-www-form-urlencoded" {
            shape.observe(pairs: FormPairs.read(content.bytes))
        } else if String(validating: content.bytes, as: UTF8.self) == nil {
            isBinary = true
        }
    }

    private mutating func observe(
        json bytes: [UInt8],
        isRedacted: Bool,
        _ losses: inout LossReport
    ) {
        var parser = JSONParser(maxDepth: 64, surrogates: .replace)
        guard let document = try? parser.parse(bytes.span) else {
            losses.count("body (malformed)")
            return
        }
        shape.observe(document.root)
        guard isRedacted, example.isEmpty, bytes.count <= Self.maxExample else { return }
        var writer = JSONWriter()
        guard writer.pretty(document.root, indent: 0, limit: Self.maxExample * 4) else { return }
        example = Array(copying: writer.bytes)
    }

    /// Writes the content as a Media Type Object (OpenAPI 3.1 §4.8.14).
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("schema")
        if shape.count > 0 {
            shape.writeSchema(to: &json)
        } else {
            json.beginObject()
            // Bytes need no type in OpenAPI 3.1.
            if !isBinary { json.member("type", "string") }
            json.endObject()
        }
        if !example.isEmpty {
            json.key("example")
            json.raw(example.span)
        }
        json.endObject()
    }
}

/// The names and values of a query or form.
enum FormPairs {
    /// Returns the pairs, decoded; names are made valid UTF-8.
    static func read(_ bytes: [UInt8]) -> [(name: String, value: [UInt8])] {
        var items = QueryItems(0..<bytes.count)
        var pairs: [(name: String, value: [UInt8])] = []
        while let item = items.next(in: bytes.span) {
            let name = PercentEncoding.decode(bytes.span.extracting(item.name), plusIsSpace: true)
            if name.isEmpty { continue }
            let value = PercentEncoding.decode(bytes.span.extracting(item.value), plusIsSpace: true)
            pairs.append((String(decoding: name, as: UTF8.self), value))
        }
        return pairs
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Shows decoded content by its kind.
///
/// Content that is not of the declared kind is shown as text, or as hexadecimal bytes.
///
/// **Limits**: time is linear in the size; nesting is not limited by the stack.
struct ContentPrinter: ~Copyable {
    /// The maximum nesting of multipart bodies.
    static let maxDepth = 4

    /// The known types of protobuf messages, and what determines them.
    var call = ProtobufCall()
    /// The deepest nesting that simdjson's wrapper allows.
    private var parser = JSONParser(maxDepth: 1 << 20)
    private var tokens = TokenPrinter()

    /// Shows content.
    ///
    /// - Parameters:
    ///   - bytes: The decoded content.
    ///   - contentType: Its type, as in Content-Type.
    ///   - isWhole: Whether nothing is missing at the end.
    ///   - depth: How many multipart bodies it is part of.
    ///   - lines: The text to add to.
    mutating func write(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        isWhole: Bool,
        depth: Int = 0,
        to lines: inout PrettyText
    ) {
        if let image = ImageHeader(bytes) {
            write(image, size: bytes.count, isWhole: isWhole, to: &lines)
            return
        }
        let type = contentType.mediaType
        var kind = ContentKind(type)
        if kind == .other { kind = ContentKind(lookingAt: bytes) }
        switch kind {
        case .json: json(bytes, isDeclared: type.isJSONMediaType, isWhole, &lines)
        case .jsonLines: jsonLines(bytes, isWhole, &lines)
        case .xml: MarkupPrinter.write(bytes, isHTML: false, to: &lines)
        case .html: MarkupPrinter.write(bytes, isHTML: true, to: &lines)
        case .form: FormPrinter.write(bytes, to: &lines)
        case .multipart: multipart(bytes, contentType, isWhole, depth, &lines)
        case .graphQL: GraphQLPrinter.write(bytes, to: &lines)
        case .events: EventsPrinter.write(bytes, isWhole: isWhole, with: &self, to: &lines)
        case .protobuf: protobuf(bytes, contentType, isWhole, &lines)
        case .grpc: grpc(bytes, contentType, isWhole, &lines)
        case .binary: HexDump.write(bytes, to: &lines)
        case .other: Self.text(bytes, to: &lines)
        }
    }

    /// Shows text as it is, or hexadecimal bytes.
    static func text(_ bytes: Span<UInt8>, to lines: inout PrettyText) {
        let sample = Array(copying: bytes.extracting(0..<min(bytes.count, 1024)))
        if sample.looksBinary {
            HexDump.write(bytes, to: &lines)
        } else {
            lines.showLines(bytes)
        }
    }

    fileprivate func write(
        _ image: ImageHeader,
        size: Int,
        isWhole: Bool,
        to lines: inout PrettyText
    ) {
        lines.begin()
        lines.put("\(image.kind) image, ")
        if let width = image.width, let height = image.height {
            lines.put("\(width) × \(height) pixels, ")
        } else {
            lines.put("size in pixels unknown, ")
        }
        lines.put("\(Quantities.size(size))\(isWhole ? "" : " of it kept")")
        lines.end()
    }

    // MARK: JSON

    mutating func json(
        _ bytes: Span<UInt8>,
        isDeclared: Bool,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        guard let error = document(bytes, &lines) else { return }
        if error.code == .trailingContent, bytes.contains("\n".utf8.span, ignoringCase: false) {
            jsonLines(bytes, isWhole, &lines)
            return
        }
        if !isWhole, let truncated = TruncatedJSON(bytes),
            document(truncated.completed.span, &lines) == nil
        {
            lines.note("cut off here")
            lines.showLines(bytes.extracting(truncated.rest..<bytes.count))
            return
        }
        if isDeclared, isWhole { lines.note("not valid JSON: \(error)", .yellow) }
        Self.text(bytes, to: &lines)
    }

    /// Shows a document; returns an error and shows nothing if the bytes are none.
    private mutating func document(_ bytes: Span<UInt8>, _ lines: inout PrettyText) -> JSONError? {
        Self.document(bytes, &parser, &tokens, &lines)
    }

    private static func document(
        _ bytes: Span<UInt8>,
        _ parser: inout JSONParser,
        _ tokens: inout TokenPrinter,
        _ lines: inout PrettyText
    ) -> JSONError? {
        do throws(JSONError) {
            let document = try parser.parse(bytes)
            if GraphQLRequest.write(document, strings: &tokens, to: &lines) { return nil }
            var layout = JSONLayout()
            layout.write(document, strings: &tokens, to: &lines)
            return nil
        } catch {
            return error
        }
    }

    private mutating func jsonLines(
        _ bytes: Span<UInt8>,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        var start = 0
        while start < bytes.count, !lines.isDone {
            let end = bytes.firstIndex(of: .ascii("\n"), from: start) ?? bytes.count
            // The separator of RFC 7464.
            if bytes[start] == 0x1E { start += 1 }
            let line = bytes.extracting(bytes.trimmed(min(start, end)..<end))
            start = end + 1
            let isBlank = line.isEmpty || (line.count == 1 && line[0] == 0x0D)
            if isBlank || document(line, &lines) == nil { continue }
            lines.showLines(line)
            if end < bytes.count || isWhole { lines.note("not valid JSON", .yellow) }
        }
    }

    // MARK: Parts

    private mutating func multipart(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        _ isWhole: Bool,
        _ depth: Int,
        _ lines: inout PrettyText
    ) {
        let reader =
            MultipartReader(contentType: contentType.span) ?? MultipartReader(beginningOf: bytes)
        guard depth < Self.maxDepth, let reader else {
            Self.text(bytes, to: &lines)
            return
        }
        MultipartPrinter.write(
            bytes,
            reader,
            isWhole: isWhole,
            depth: depth,
            with: &self,
            to: &lines
        )
    }

    /// Shows the value of a field, with the signatures of tokens masked.
    mutating func fieldValue(_ value: Span<UInt8>, to lines: inout PrettyText) {
        tokens.show(value, isJSON: false, .plain, to: &lines)
    }

    /// Shows the parts of the tokens in the field that just ended.
    mutating func endField(to lines: inout PrettyText) {
        tokens.writeParts(0, to: &lines)
    }
}

extension ContentPrinter {
    /// Shows a binary message: the kind of an image, or hexadecimal bytes.
    func binaryMessage(_ bytes: Span<UInt8>, to lines: inout PrettyText) {
        if let image = ImageHeader(bytes) {
            write(image, size: bytes.count, isWhole: true, to: &lines)
        } else {
            HexDump.write(bytes, to: &lines)
        }
    }

    /// Shows a text message or the data of an event: JSON if it is JSON, otherwise text.
    mutating func message(_ bytes: Span<UInt8>, isWhole: Bool, to lines: inout PrettyText) {
        if ContentKind(lookingAt: bytes) == .json {
            json(bytes, isDeclared: false, isWhole, &lines)
        } else {
            Self.text(bytes, to: &lines)
        }
    }
}

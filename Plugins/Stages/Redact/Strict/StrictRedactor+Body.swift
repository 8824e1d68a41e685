// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Bodies: parsed by their type, as far as possible.
extension StrictRedactor {
    /// The maximum nesting depth of multipart bodies; deeper ones are masked.
    private static let maxParts = 8

    /// Redacts a body; the fields are those that were received.
    mutating func redact(_ body: inout Body, _ fields: borrowing FieldSection) {
        let label = ContentLabel(fields, body)
        body.contentType = changed(body.contentType) { $0.write($1, .mediaType, into: &$2) }
        guard !body.bytes.isEmpty else {
            // A list without unknown codings contains no other words.
            if ContentCoding.list(body.coding.span).contains(.unknown) {
                body.coding = ByteString()
            }
            return
        }
        // A body that a rule masked whole is not JSON yet.
        guard !isReplacement(body.bytes.span) || label.kind == .json else { return }
        if let (bytes, codings) = decoded(body) {
            let written = content(bytes.span, label)
            if let written, let encoded = encoded(written, codings) {
                if !codings.isEmpty, body.decodedSize == nil { body.decodedSize = bytes.count }
                body.bytes = encoded
                return
            }
        }
        body.bytes = masked(label.kind == .json ? .json : .plain)
        body.coding = ByteString()
    }

    /// Returns the redacted content of a decoded body, or of a part of one; `nil` if it cannot be
    /// parsed.
    ///
    /// Content that cannot be parsed is kept if its media type is in `keep_types`.
    private mutating func content(_ bytes: Span<UInt8>, _ label: ContentLabel) -> [UInt8]? {
        guard !bytes.isEmpty, !isReplacement(bytes) else {
            return label.kind == .json && !bytes.isEmpty ? nil : Array(copying: bytes)
        }
        if let written = readable(bytes, label) { return written }
        let isKept = !limits.unreadable.masks(label.type.span)
        return isKept && !label.kind.hasStructure ? Array(copying: bytes) : nil
    }

    private mutating func readable(_ bytes: Span<UInt8>, _ label: ContentLabel) -> [UInt8]? {
        guard !label.isQuotedPrintable else { return nil }
        if label.kind == .multipart {
            guard label.depth < Self.maxParts else { return nil }
            return multipart(bytes, label)
        }
        guard label.kind != .opaque, label.kind != .binary,
            label.kind != .protobuf, label.kind != .grpc, Self.isReadable(label.type.span),
            Self.isText(bytes)
        else { return nil }
        var output: [UInt8] = []
        switch label.kind {
        case .json where !JSONText.isClearlyNotJSON(bytes, 0..<bytes.count):
            guard json(bytes, 0, into: &output) else { return nil }
        case .form where JSONText.isLikely(bytes, 0..<bytes.count):
            // The forms that `curl -d` sends are usually JSON.
            value(bytes, strict.value, 0, into: &output)
        case .form:
            items(bytes, strict.keep.form, 0, into: &output)
        case .markup:
            markup(bytes, 0, into: &output)
        case .events:
            events(bytes, into: &output)
        case .csv:
            table(bytes, into: &output)
        case .json, .text, .data, .untyped, .script, .graphQL, .multipart, .opaque, .binary,
            .protobuf, .grpc:
            if !json(bytes, 0, into: &output) {
                output.removeAll(keepingCapacity: true)
                value(bytes, strict.value, 0, into: &output)
            }
        }
        return output
    }

    /// Whether a charset is supported: UTF-8, or no declared charset.
    private static func isReadable(_ type: Span<UInt8>) -> Bool {
        guard let range = Parameter.find("charset", in: type) else { return true }
        let charset = type.extracting(range)
        for name in ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "windows-1252"]
        where charset.equalsIgnoringCase(name) {
            return true
        }
        return false
    }

    // MARK: Lines

    /// Writes server-sent events, the data of each line separately.
    private mutating func events(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        eachLine(bytes, into: &output) { redactor, line, _, output in
            let colon = line.firstIndex(of: .ascii(":")) ?? line.count
            guard colon < line.count, redactor.words.isName(line.extracting(0..<colon)) else {
                redactor.text(line, redactor.strict.value, 0, into: &output)
                return
            }
            let data = line.extracting((colon + 1)...)
            let inner = data.trimmed(0..<data.count)
            output.append(copying: line.extracting(0...colon))
            output.append(copying: data.extracting(0..<inner.lowerBound))
            redactor.value(data.extracting(inner), redactor.strict.value, 0, into: &output)
            output.append(copying: data.extracting(inner.upperBound...))
        }
    }

    /// Writes a table: known names in its first line are kept.
    private mutating func table(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        eachLine(bytes, into: &output) { redactor, line, isFirst, output in
            guard isFirst else {
                redactor.text(line, redactor.strict.value, 0, into: &output)
                return
            }
            var start = 0
            while start <= line.count {
                var end = start
                while end < line.count, !Self.endsCell(line[end]) { end += 1 }
                let cell = line.extracting(start..<end)
                if redactor.words.isName(cell) || redactor.isReplacement(cell) {
                    output.append(copying: cell)
                } else {
                    redactor.text(cell, redactor.strict.name, 0, into: &output)
                }
                if end < line.count { output.append(line[end]) }
                start = end + 1
            }
        }
    }

    private static func endsCell(_ byte: UInt8) -> Bool {
        byte == .ascii(",") || byte == .ascii(";") || byte == 0x09 || byte == .ascii("\"")
    }

    private mutating func eachLine(
        _ bytes: Span<UInt8>,
        into output: inout [UInt8],
        _ write: (inout StrictRedactor, Span<UInt8>, Bool, inout [UInt8]) -> Void
    ) {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            write(&self, bytes.extracting(start..<end), start == 0, &output)
            start = end
            while start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D {
                output.append(bytes[start])
                start += 1
            }
        }
    }
}

// MARK: - Multipart

extension StrictRedactor {
    /// Returns the redacted parts of a multipart body; `nil` if its boundary does not occur.
    private mutating func multipart(_ bytes: Span<UInt8>, _ label: ContentLabel) -> [UInt8]? {
        guard let reader = MultipartReader(contentType: label.type.span) else { return nil }
        let written = reader.delimiter.span.extracting(2..<reader.delimiter.count)
        let shown = Array("--".utf8) + boundary(written)
        var output: [UInt8] = []
        var isEnded = false
        reader.read(bytes, 0..<bytes.count) { piece in
            switch piece {
            // The preamble has no meaning and is dropped; a part that is the whole body has no end.
            case .preamble: break
            case .part(let part):
                output += shown
                self.part(part, of: bytes, label.depth + 1, into: &output)
            case .epilogue:
                output += shown
                output += "--\r\n".utf8
                isEnded = true
            }
        }
        return isEnded ? output : nil
    }

    /// Writes a part: its fields, an empty line, and its content; a part whose head readers may
    /// interpret differently is masked.
    private mutating func part(
        _ part: MultipartReader.Part,
        of bytes: Span<UInt8>,
        _ depth: Int,
        into output: inout [UInt8]
    ) {
        guard let place = part.content, !part.isDoubtful else {
            output += "\r\n\r\n".utf8
            output += masked(.plain)
            output += "\r\n".utf8
            return
        }
        var fields = FieldSection()
        for field in part.head.fields {
            let value = MIMEHead.unfolded(bytes.extracting(field.value))
            fields.append(name: bytes.extracting(field.name), value: value.span)
        }
        var label = ContentLabel(fields, Body())
        label.depth = depth
        let content = bytes.extracting(place)
        let isKept =
            partName(fields).map { strict.keep.keeps($0.span, strict.keep.form) } ?? false
        redact(&fields)
        output += "\r\n".utf8
        for position in fields.indices {
            output.append(copying: fields.name(at: position))
            output += ": ".utf8
            output.append(copying: fields.value(at: position))
            output += "\r\n".utf8
        }
        output += "\r\n".utf8
        if isKept {
            output.append(copying: content)
        } else if let written = self.content(content, label) {
            output += written
        } else {
            output += masked(.plain)
        }
        output += "\r\n".utf8
    }

    private func partName(_ fields: borrowing FieldSection) -> [UInt8]? {
        guard let value = fields.first("content-disposition"),
            let range = Parameter.find("name", in: value.span)
        else { return nil }
        return Array(copying: value.span.extracting(range))
    }
}

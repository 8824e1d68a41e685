// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension Redactor {
    /// Masks a body that cannot be searched for names, unless its type is kept.
    ///
    /// Detectors search the raw bytes of a body that is kept. Images, audio, video and fonts are
    /// also recognized by their first bytes and stay, unless the body is declared as something else.
    mutating func editUnreadable(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) {
        let isDeclared = label.kind == .binary || label.kind == .protobuf || label.kind == .grpc
        let isMedia = !isDeclared && Readability.isMedia(bytes.extracting(range))
        if !isMedia, rules.limits.unreadable.masks(label.type.span) {
            rules.maskRest(bytes, range, &edits)
        } else {
            search.edit(bytes, range, .plain, &edits)
        }
    }

    /// Edits a body in a charset other than UTF-8; returns whether the body is in one.
    ///
    /// Valid UTF-8 is read as UTF-8 even if another charset is declared: recordings store decoded
    /// text with the original fields.
    mutating func editCharset(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) -> Bool {
        guard label.kind != .opaque, label.kind != .multipart, !range.isEmpty else { return false }
        let body = bytes.extracting(range)
        guard let (charset, name) = charset(of: body, label) else { return false }
        if charset == .utf8 { return false }
        if charset == .utf16 || charset == .utf32 {
            guard !isPlain(body), !DeclaredCharset.isPlainMarkup(body),
                let form = search.finder.form(charset: name.span, of: body)
            else { return false }
            editWhole(bytes, range, form, label)
            return true
        }
        let converter = charsets.converter(charset)
        // In a stateful charset, seven-bit bytes may be letters of any language.
        if let converter, converter.isStateless || !body.isASCII, isPlain(body) {
            return false
        }
        guard let converter, body.count <= rules.limits.maxDecodedBytes,
            let text = converter.decode(body)
        else {
            guard rules.limits.unreadable.masks(label.type.span) else { return false }
            rules.maskRest(bytes, range, &edits)
            return true
        }
        // A page that is readable without decoding is not in EBCDIC, whatever it declares.
        if DeclaredCharset.isPlainMarkup(body), !DeclaredCharset.isPlainMarkup(text.bytes.span) {
            return false
        }
        edit(text, converter, bytes, range, label)
        return true
    }

    /// Returns the charset of a body and its name; `nil` if it is unknown, or if a byte order mark
    /// is more specific than the name.
    private mutating func charset(
        of body: Span<UInt8>,
        _ label: ContentLabel
    ) -> (Charset, [UInt8])? {
        if body.starts(with: "\u{FEFF}") { return nil }
        if let name = DeclaredCharset.label(of: body, label) {
            // A meaningless name, such as `none`, stands for UTF-8 or for an unknown charset.
            return (Charset(label: name.span) ?? (isPlain(body) ? .utf8 : .unknown), name)
        }
        // `<?xml` in EBCDIC (XML 1.0, appendix F); all of its charsets share these letters.
        let isEBCDIC =
            body.count > 5 && body[0] == 0x4C && body[1] == 0x6F && body[2] == 0xA7
            && body[3] == 0x94 && body[4] == 0x93
        guard isEBCDIC else { return nil }
        let usual = Charset.stateless("IBM037")
        let head = body.extracting(0..<min(body.count, 256))
        let text = charsets.converter(usual)?.decode(head)
        guard let name = text.flatMap({ DeclaredCharset.inDeclaration($0.bytes.span) }) else {
            return (usual, [])
        }
        return Charset(label: name.span).map { ($0, name) }
    }

    /// Whether a body is UTF-8 without control characters that do not occur in text.
    private func isPlain(_ body: Span<UInt8>) -> Bool {
        !Readability.isBinary(body) && Readability.isUTF8(body)
    }

    /// Edits a text in another charset.
    ///
    /// Replacements are written in that charset, and no other byte changes. If that is not
    /// possible, the body is masked whole.
    private mutating func edit(
        _ text: CharsetText,
        _ converter: CharsetConverter,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) {
        let outer = exchange(&edits, with: EditList())
        var label = label
        label.isInner = true
        edit(text.bytes.span, 0..<text.bytes.count, label)
        let inner = exchange(&edits, with: outer)
        guard !inner.isEmpty else { return }
        let body = bytes.extracting(range)
        guard let written = Redactor.written(inner, text, converter, body) else {
            rules.maskRest(bytes, range, &edits)
            return
        }
        edits.merge(written, offset: range.lowerBound)
    }

    /// Returns the edits of a text in its original charset; `nil` if they cannot be converted
    /// exactly.
    private static func written(
        _ found: EditList,
        _ text: CharsetText,
        _ converter: CharsetConverter,
        _ body: Span<UInt8>
    ) -> EditList? {
        var written = EditList()
        var isWhole = true
        found.forEach { place, replacement, rule in
            guard isWhole,
                let start = converter.source(of: place.lowerBound, in: text, from: body),
                let end = converter.source(of: place.upperBound, in: text, from: body),
                start <= end, let coded = converter.encode(replacement)
            else {
                isWhole = false
                return
            }
            written.add(start..<end, coded.span, rule)
        }
        guard isWhole else { return nil }
        written.addOthers(of: found)
        let changed = written.apply(to: body)
        guard converter.decode(changed.span)?.bytes == found.apply(to: text.bytes.span) else {
            return nil
        }
        return written
    }
}

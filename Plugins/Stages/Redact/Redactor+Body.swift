// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension RuleSet {
    /// Masks what was not understood.
    func maskRest(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        guard !range.isEmpty else { return }
        replace(bytes, range, inDoubt, .plain, &edits)
    }
}

extension Redactor {
    /// Redacts a body as its fields say what it is, and its coding how it is kept.
    ///
    /// What has to be decoded to be changed stays decoded, and says so: `coding` is empty then.
    mutating func redact(_ body: inout Body, _ fields: borrowing FieldSection) {
        guard !body.bytes.isEmpty else { return }
        let kind = BodyKind(fields)
        guard kind != .opaque else { return }
        edits.reset()
        let codings = body.coding.isEmpty ? [] : ContentCoding.list(body.coding.span)
        guard !codings.isEmpty else {
            edit(body.bytes.span, kind, fields)
            if !edits.isEmpty { body.bytes = made(on: body.bytes.span) }
            return
        }
        let limits = DecodingLimits(maxOutputBytes: rules.limits.maxDecodedBytes)
        do throws(CodingError) {
            let decoded = try ContentCoding.decode(
                body.bytes.span,
                codings: codings,
                limits: limits
            )
            edit(decoded.span, kind, fields)
            guard !edits.isEmpty else { return }
            body.decodedSize = decoded.count
            body.bytes = made(on: decoded.span)
        } catch {
            rules.maskRest(body.bytes.span, 0..<body.bytes.count, &edits)
            body.bytes = made(on: body.bytes.span)
        }
        body.coding = ByteString()
    }

    /// Finds the edits of a decoded body.
    private mutating func edit(
        _ bytes: Span<UInt8>,
        _ kind: BodyKind,
        _ fields: borrowing FieldSection
    ) {
        let whole = 0..<bytes.count
        switch kind {
        case .opaque:
            break
        case .json:
            json.edit(bytes, whole, rules, &edits)
        case .form where JSONText.isLikely(bytes, whole):
            // What `curl -d` sends as a form is JSON more often than not.
            json.edit(bytes, whole, rules, &edits)
        case .form:
            rules.editItems(bytes, whole, rules.form, &edits)
        case .multipart:
            editMultipart(bytes, fields)
        case .events:
            editEvents(bytes)
        case .text where !JSONText.isLikely(bytes, whole):
            TextEditor(rules: rules).edit(bytes, whole, &edits)
        case .untyped where !JSONText.opensContainer(bytes, whole):
            if Redactor.isText(bytes) { TextEditor(rules: rules).edit(bytes, whole, &edits) }
        case .data where !JSONText.isLikely(bytes, whole):
            break
        case .text, .untyped, .data:
            json.edit(bytes, whole, rules, &edits)
        }
    }

    /// Whether bytes of no told type begin like text.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, 512) where bytes[index] < 0x09 { return false }
        return true
    }

    private mutating func editMultipart(_ bytes: Span<UInt8>, _ fields: borrowing FieldSection) {
        let whole = 0..<bytes.count
        guard let position = fields.firstIndex(of: "content-type"),
            let editor = MultipartEditor(contentType: fields.value(at: position))
        else {
            rules.maskRest(bytes, whole, &edits)
            return
        }
        editor.edit(bytes, whole, rules, &json, &edits)
    }

    /// Server-sent events: what stands behind `data:` in each line.
    ///
    /// Where JSON goes on in the next line of an event, the rest of that event's data is masked.
    private mutating func editEvents(_ bytes: Span<UInt8>) {
        var start = bytes.starts(with: "\u{FEFF}") ? 3 : 0
        var isOpen = false
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            let line = bytes.extracting(start..<end)
            let isData = line.starts(with: "data:")
            let text = isData ? start + 5..<end : start..<end
            if isData, isOpen {
                rules.maskRest(bytes, text, &edits)
            } else if isData, JSONText.isLikely(bytes, text) {
                json.edit(bytes, text, rules, &edits)
                isOpen = json.isOpen
            } else {
                TextEditor(rules: rules).edit(bytes, text, &edits)
            }
            if line.isEmpty { isOpen = false }
            start = end + 1
            if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { start += 1 }
        }
    }
}

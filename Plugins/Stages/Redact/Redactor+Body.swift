// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension RuleSet {
    /// Masks the part that was not understood.
    func maskRest(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        guard !range.isEmpty else { return }
        replace(bytes, range, inDoubt, .plain, &edits)
    }
}

/// The declared type of a part of a message.
struct ContentLabel {
    var kind: BodyKind
    /// The value of Content-Type; empty if there is none.
    var type: [UInt8] = []
    /// The number of multipart bodies around it.
    var depth = 0
    /// Whether it is the decoded content of another encoding.
    var isInner = false
    /// Whether it is encoded as quoted-printable (RFC 2045 §6.7).
    var isQuotedPrintable = false

    init(type: Span<UInt8>, depth: Int = 0) {
        self.type = Array(copying: type)
        self.depth = depth
        kind = BodyKind(contentType: type)
    }

    /// Creates the label of a message: the first type in its fields that is not opaque, or the type
    /// known from the recording if that is more specific.
    ///
    /// `known` is a label that may be the same, as most messages have one of a few types.
    init(
        _ fields: borrowing FieldSection,
        _ body: borrowing Body,
        known: ContentLabel = ContentLabel(type: Span())
    ) {
        kind = .untyped
        for position in fields.indices
        where fields.entrySpan[position].nameCount == 12
            && fields.name(at: position).equalsIgnoringCase("content-type")
        {
            let type = fields.value(at: position)
            if known.type.span.equals(type) {
                kind = known.kind
                self.type = known.type
            } else {
                self = ContentLabel(type: type)
            }
            if kind != .opaque { break }
        }
        if !body.contentType.isEmpty, !kind.hasStructure {
            let noted = ContentLabel(type: body.contentType.span)
            if kind == .untyped || noted.kind.hasStructure { self = noted }
        }
        // HTTP has no such field, but mail gateways forward it.
        if let coding = fields.first("content-transfer-encoding") {
            setTransferCoding(coding.span)
        }
    }

    /// Applies the value of a Content-Transfer-Encoding field.
    mutating func setTransferCoding(_ value: Span<UInt8>) {
        let coding = value.extracting(value.trimmed(0..<value.count))
        isQuotedPrintable = coding.equalsIgnoringCase("quoted-printable")
    }
}

extension Redactor {
    /// Redacts a body according to its fields and its coding.
    ///
    /// A body that is decoded and changed is encoded again with the same coding.
    mutating func redact(_ body: inout Body, _ fields: borrowing FieldSection) {
        let codings = body.coding.isEmpty ? [] : ContentCoding.list(body.coding.span)
        // Coded bytes can only be decoded by the name of their coding, so known names stay.
        if codings.contains(.unknown) {
            body.coding = redactedCopy(body.coding, of: "Content-Encoding")
        }
        guard !body.bytes.isEmpty else {
            body.contentType = redactedCopy(body.contentType, of: "Content-Type")
            return
        }
        let label = ContentLabel(fields, body, known: knownLabel)
        if !label.type.isEmpty { knownLabel = label }
        body.contentType = redactedCopy(body.contentType, of: "Content-Type")
        edits.reset()
        search.budget.beginBody(body.bytes.count)
        call.isTruncated = body.isTruncated
        if label.kind == .grpc { call.encoding = fields.first("grpc-encoding") ?? ByteString() }
        guard !codings.isEmpty else {
            edit(body.bytes.span, 0..<body.bytes.count, label)
            if !edits.isEmpty { body.bytes = applyEdits(to: body.bytes.span) }
            return
        }
        do throws(CodingError) {
            let decoded = try coder.decode(body.bytes.span, codings)
            edit(decoded.span, 0..<decoded.count, label)
            guard !edits.isEmpty else { return }
            if body.decodedSize == nil { body.decodedSize = decoded.count }
            body.bytes = try coder.encode(applyEdits(to: decoded.span), codings)
        } catch {
            let hasSecrets = !edits.isEmpty
            guard label.kind != .opaque || hasSecrets else { return }
            let range = 0..<body.bytes.count
            edits.reset()
            if rules.masksInDoubt {
                rules.maskRest(body.bytes.span, range, &edits)
                body.coding = ByteString()
            } else if hasSecrets {
                edits.add(range, rules.inDoubt) { $0 += rules.replacement.maskText }
                body.coding = ByteString()
            } else {
                // It may not be encoded at all.
                edit(body.bytes.span, range, label)
            }
            if !edits.isEmpty { body.bytes = applyEdits(to: body.bytes.span) }
        }
    }

    /// Finds the edits of a decoded body, or of a part of one.
    mutating func edit(_ bytes: Span<UInt8>, _ range: Range<Int>, _ label: ContentLabel) {
        if label.isQuotedPrintable {
            let form = EmbeddedForm.quotedPrintable(of: bytes.extracting(range))
            var label = label
            label.isQuotedPrintable = false
            editWhole(bytes, range, form, label)
            return
        }
        if label.kind == .grpc || label.kind == .protobuf, editMessages(bytes, range, label) {
            return
        }
        editContent(bytes, range, label)
    }

    /// Finds the edits of content that is not protobuf or gRPC, even if it is declared so.
    mutating func editContent(_ bytes: Span<UInt8>, _ range: Range<Int>, _ label: ContentLabel) {
        if !label.isInner {
            if editCharset(bytes, range, label) { return }
            if let form = search.finder.wholeForm(of: bytes.extracting(range)) {
                editWhole(bytes, range, form, label)
                return
            }
        }
        switch label.kind {
        case .json where !JSONText.isClearlyNotJSON(bytes, range):
            editJSON(bytes, range)
        case .json:
            // An error page or a message: servers label these with the type of the requested
            // resource.
            var label = label
            label.kind = MarkupEditor.isLikely(bytes, range) ? .markup : .text
            editText(bytes, range, label)
        case .form where JSONText.isLikely(bytes, range):
            // The forms that `curl -d` sends are usually JSON.
            editJSON(bytes, range)
        case .form where editUndeclaredMultipart(bytes, range, label):
            break
        case .form where Readability.isBinary(bytes.extracting(range)),
            .events where Readability.isBinary(bytes.extracting(range)),
            .script where Readability.isBinary(bytes.extracting(range)):
            editUnreadable(bytes, range, label)
        case .form:
            rules.editItems(bytes, range, rules.form, &edits)
            search.edit(bytes, range, .url, &edits)
        case .multipart:
            editMultipart(bytes, range, label)
        case .events:
            editEvents(bytes, range)
        case .script:
            ScriptText.edit(bytes, range, rules, &json, &edits)
            search.edit(bytes, range, .code, &edits)
        case .text, .untyped, .data, .binary, .opaque, .markup, .csv, .graphQL, .protobuf, .grpc:
            editText(bytes, range, label)
        }
    }

    /// Edits a body that begins like a multipart body, whatever its type; returns whether it is
    /// one.
    private mutating func editUndeclaredMultipart(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) -> Bool {
        guard !range.isEmpty, bytes[range.lowerBound] == .ascii("-"),
            label.depth < Redactor.maxMultipartDepth,
            let editor = MultipartEditor(beginningOf: bytes.extracting(range))
        else { return false }
        editor.edit(bytes, range, depth: label.depth, &self)
        return true
    }

    /// Edits text: as JSON if it looks like JSON, whatever its declared type.
    private mutating func editText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) {
        let kind = label.kind
        if kind != .opaque, editUndeclaredMultipart(bytes, range, label) { return }
        let isJSON =
            kind == .untyped
            ? JSONText.opensContainer(bytes, range) : JSONText.isLikely(bytes, range)
        if isJSON {
            guard kind != .opaque || Redactor.isText(bytes, range) else { return }
            editJSON(bytes, range)
            return
        }
        switch kind {
        case .text where Readability.isBinary(bytes.extracting(range)),
            .csv where Readability.isBinary(bytes.extracting(range)),
            .markup where Readability.isBinary(bytes.extracting(range)), .binary, .protobuf:
            editUnreadable(bytes, range, label)
        case .text, .csv, .markup, .graphQL:
            editDeclaredText(bytes, range, label)
        case .grpc where !Readability.isText(bytes.extracting(range)):
            editLost(bytes, range, label)
        case .untyped, .data, .grpc:
            if Readability.isText(bytes.extracting(range)) {
                editText(bytes, range)
            } else {
                editUnreadable(bytes, range, label)
            }
        case .opaque where !label.isInner && !Redactor.isText(bytes, range):
            break
        default:
            // Content labeled as an image is sometimes text.
            search.edit(bytes, range, .plain, &edits)
        }
    }

    /// Edits text of a specific type.
    private mutating func editDeclaredText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) {
        switch label.kind {
        case .graphQL:
            if let found = GraphQLEditor(rules).documentEdits(bytes, range) {
                edits.merge(found)
                search.edit(bytes, range, .code, &edits)
            } else {
                editText(bytes, range)
            }
        case .csv:
            CSVEditor(rules: rules).edit(bytes, range, &edits)
            search.edit(bytes, range, .plain, &edits)
        case .markup:
            var editor = MarkupEditor(rules)
            editor.edit(bytes, range, &json, &edits)
            search.edit(bytes, range, .code, &edits)
        default:
            if !label.isInner, editQuotedPrintable(bytes, range) { return }
            editText(bytes, range)
        }
    }

    private mutating func editJSON(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let start = JSONText.start(bytes, range)
        if start - range.lowerBound > 8 {
            // Comments contain text.
            TextEditor(rules: rules).edit(bytes, range.lowerBound..<start, &edits)
        }
        json.edit(bytes, range, rules, &edits)
        GraphQLEditor(rules).edit(bytes, range, &edits)
        search.edit(bytes, range, .json, &edits)
    }

    /// Edits text that is quoted-printable without being declared so, as in mail messages; returns
    /// whether anything was found.
    private mutating func editQuotedPrintable(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(range)
        guard EmbeddedForm.isQuotedPrintable(text) else { return false }
        let outer = exchange(&edits, with: EditList())
        let form = EmbeddedForm.quotedPrintable(of: text)
        editWhole(bytes, range, form, ContentLabel(type: "text/plain".utf8.span))
        let found = exchange(&edits, with: outer)
        edits.merge(found)
        return !found.isEmpty
    }

    private mutating func editText(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let hints = bytes.extracting(0..<range.upperBound).textHints(from: range.lowerBound)
        // In code, the text after `=` is an expression.
        let mayBeCode = !hints.isDisjoint(with: [.names, .quotes])
        let isCode = mayBeCode && ScriptText.isLikely(bytes, range)
        if isCode {
            ScriptText.edit(bytes, range, rules, &json, &edits)
        } else {
            if TextEditor.mayFind(hints) {
                TextEditor(rules: rules).edit(bytes, range, &edits)
            }
            rules.editCredentials(bytes, range, .plain, hints, &edits)
            if hints.contains(.quotes) { rules.editCode(bytes, range, &edits) }
        }
        rules.editTable(bytes, range, &edits)
        editMarkup(bytes, range)
        search.edit(bytes, range, isCode ? .code : .plain, &edits)
    }

    /// Edits a text that begins with a tag, or contains elements with end tags, as logs do.
    mutating func editMarkup(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let isWhole = MarkupEditor.isLikely(bytes, range)
        guard isWhole || MarkupEditor.hasEndTag(bytes, range) else { return }
        var found = EditList()
        var editor = MarkupEditor(rules, isFragment: !isWhole)
        editor.edit(bytes, range, &json, &found)
        edits.merge(found)
    }

    /// Whether bytes begin like text.
    private static func isText(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        // Logs contain bells, backspaces and terminal escapes.
        for index in range.prefix(512) where bytes[index] < 0x07 || bytes[index] == 0x7F {
            return false
        }
        return true
    }

    /// Edits content that is entirely in another encoding: UTF-16, or compression that is not
    /// declared.
    mutating func editWhole(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ form: EmbeddedForm,
        _ label: ContentLabel
    ) {
        let source = bytes.extracting(range)
        if form.isUTF16, holdsSecrets(source) {
            rules.maskRest(bytes, range, &edits)
            return
        }
        var meaning: [UInt8] = []
        let outcome = search.decodeWhole(source, form, appendingTo: &meaning)
        switch outcome {
        case .decoded: break
        case .isNoText where label.kind == .opaque, .isTooLarge where label.kind == .opaque: return
        case .isNoText, .isTooLarge:
            if label.kind == .grpc || label.kind == .protobuf {
                return editLost(bytes, range, label)
            }
            if !rules.masksInDoubt { search.edit(bytes, range, .plain, &edits) }
            rules.maskRest(bytes, range, &edits)
            return
        }
        let outer = exchange(&edits, with: EditList())
        var label = label
        label.isInner = true
        edit(meaning.span, 0..<meaning.count, label)
        let inner = exchange(&edits, with: outer)
        guard !inner.isEmpty else { return }
        var written: [UInt8] = []
        let changed = inner.apply(to: meaning.span)
        if form.encode(changed.span, appendingTo: &written) {
            edits.add(range, written.span, by: inner)
        } else {
            rules.maskRest(bytes, range, &edits)
        }
    }

    /// Whether secrets are found in the bytes of a text that is declared as UTF-16.
    ///
    /// A byte order mark may be wrong. In UTF-16, no two letters of a name are adjacent.
    private mutating func holdsSecrets(_ bytes: Span<UInt8>) -> Bool {
        var found = EditList()
        let range = 0..<bytes.count
        TextEditor(rules: rules).edit(bytes, range, &found)
        if found.isEmpty { search.edit(bytes, range, .plain, &found) }
        return !found.isEmpty
    }

    private mutating func editMultipart(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel
    ) {
        guard label.depth < Redactor.maxMultipartDepth,
            let editor = MultipartEditor(contentType: label.type.span)
        else {
            rules.maskRest(bytes, range, &edits)
            return
        }
        editor.edit(bytes, range, depth: label.depth, &self)
    }

    /// The maximum nesting depth of multipart bodies; deeper ones are masked.
    private static let maxMultipartDepth = 8

    /// Edits server-sent events: the text after `data:` in each line.
    ///
    /// If JSON continues on the next line of an event, the rest of that event's data is masked. If
    /// it is incomplete at the end of the event, the data of the next events is masked too, up to
    /// one that is JSON again.
    private mutating func editEvents(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        var start = range.lowerBound
        if bytes.extracting(range).starts(with: "\u{FEFF}") { start += 3 }
        var isOpen = false
        var isCut = false
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            let line = bytes.extracting(start..<end)
            let isData = line.starts(with: "data:")
            let text = isData ? start + 5..<end : start..<end
            let isJSON = isData && JSONText.isLikely(bytes, text)
            if isData, isOpen || (isCut && !isJSON) {
                rules.maskRest(bytes, text, &edits)
            } else if isJSON {
                editJSON(bytes, text)
                isOpen = json.isOpen
                isCut = json.isCut
            } else {
                editText(bytes, text)
            }
            if line.isEmpty { isOpen = false }
            start = end + 1
            if start < range.upperBound, bytes[end] == 0x0D, bytes[start] == 0x0A { start += 1 }
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Protobuf messages: values by the names of their fields, strings by what detectors find in them.
///
/// Without a known type, fields have no names, so a message is masked like other data without
/// names; if its media type is kept, detectors search its strings and nested messages.
extension Redactor {
    /// The maximum nesting depth of messages; deeper ones are removed.
    private static let maxMessageDepth = 64

    /// Edits a message, whose lengths are rebuilt.
    mutating func editProtobuf(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ label: ContentLabel,
        isCut: Bool = false
    ) {
        let type = messageType(label)
        let reading = ProtobufReading(keepsUnnamed: keepsUnnamed(label), isCut: isCut)
        guard type != nil || reading.keepsUnnamed else {
            return rules.maskRest(bytes, range, &edits)
        }
        let message = bytes.extracting(range)
        var isRead = false
        let inner = collect {
            isRead = $0.editMessage(message, type, reading, Redactor.maxMessageDepth)
        }
        guard isRead else { return editLost(bytes, range, label, hasSecrets: !inner.isEmpty) }
        let written = inner.apply(to: message)
        // What is found across fields cannot be removed from one of them.
        var rest = EditList()
        search.edit(written.span, 0..<written.count, .plain, &rest)
        if !rest.isEmpty {
            if rules.masksInDoubt { return rules.maskRest(bytes, range, &edits) }
            edits.add(range, rest.apply(to: written.span).span, by: rest)
        } else if !inner.isEmpty {
            edits.add(range, written.span, by: inner)
        }
    }

    /// Edits a message without a type, whatever is kept.
    mutating func editUnnamedProtobuf(_ bytes: Span<UInt8>) {
        let reading = ProtobufReading(keepsUnnamed: true)
        if !editMessage(bytes, nil, reading, Redactor.maxMessageDepth) { edits.reset() }
        guard edits.isEmpty else { return }
        if Readability.isText(bytes) {
            edit(bytes, 0..<bytes.count, ContentLabel(type: Span()))
        } else {
            search.edit(bytes, 0..<bytes.count, .plain, &edits)
        }
    }

    /// Edits the fields of a message; returns whether it could be read.
    ///
    /// **Limits**: recursive, as deep as `depth`.
    private mutating func editMessage(
        _ bytes: Span<UInt8>,
        _ index: Int?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) -> Bool {
        guard depth > 0 else { return false }
        let type = index.flatMap { index in rules.schema?.messages[index] }
        let pair = pairRule(bytes, index)
        let contained = type?.name == Redactor.anyName ? containedType(bytes) : nil
        let split = type.map { splitFields(bytes, $0) } ?? []
        var reading = reading
        reading.hasSecretNumbers = hasSecretNumbers(bytes)
        var reader = ProtobufReader(0..<bytes.count, maxDepth: depth)
        do throws(ProtobufError) {
            while let field = try reader.next(in: bytes) {
                let declared = type?.fields[field.number]
                // A value that is not written as its type says is like one without a type.
                let known = declared.flatMap { $0.fits(field) ? $0 : nil }
                var rule = declared.flatMap { self.rule(for: $0) }
                if rule == nil, let pair, pair.values.contains(field.number) { rule = pair.rule }
                if split.contains(field.number) {
                    edits.remove(field.range, rules.inDoubt)
                } else if let rule, !isHarmless(bytes, field, rule, known) {
                    replace(bytes, field, known, rule)
                } else if type != nil, known == nil, !reading.keepsUnnamed {
                    replace(bytes, field, nil, rules.inDoubt)
                } else if let contained, field.number == 2, field.wireType == .lengthDelimited {
                    editNested(bytes, field, known, contained, reading, depth)
                } else {
                    editField(bytes, field, known, reading, depth)
                }
            }
        } catch {
            // Without a preset, content that cannot be read is not masked, but names still apply.
            let isCut = reading.isCut && error.code == .truncated
            guard isCut || (type != nil && !rules.masksInDoubt) else { return false }
            // What is left of the last field may be a secret whose name is known.
            edits.remove(reader.position..<bytes.count, rules.inDoubt)
        }
        return true
    }

    /// Edits the value of a field that no rule names.
    private mutating func editField(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) {
        switch field.wireType {
        case .varint, .fixed32, .fixed64:
            guard reading.hasSecretNumbers, let found = secrets(in: field.bits, field.wireType)
            else { return }
            edits.add(field.range, Span(), by: found)
        case .group:
            editNested(bytes, field, known, known?.messageIndex, reading, depth)
        case .lengthDelimited where field.value.isEmpty: break
        case .lengthDelimited:
            switch known?.type {
            case .message?, .group?:
                editNested(bytes, field, known, known?.messageIndex, reading, depth)
            case .string?: editText(bytes, field)
            case .bytes?, nil: editBytes(bytes, field, known, reading, depth)
            case let type?: editPacked(bytes, field, type.wireType)
            }
        case .endOfGroup: break
        }
    }

    /// Edits a nested message or a group; masks it if it cannot be read.
    private mutating func editNested(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?,
        _ type: Int?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) {
        let content = bytes.extracting(field.value)
        guard let found = nestedEdits(content, type, reading, depth) else {
            if depth <= 1 { return edits.remove(field.range, rules.inDoubt) }
            return doubt(bytes, field, known)
        }
        write(found, in: content, over: field)
    }

    /// Finds the edits of the content of a nested message or a group; `nil` if it cannot be read.
    private mutating func nestedEdits(
        _ content: Span<UInt8>,
        _ type: Int?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) -> EditList? {
        // A type that the descriptors lack has no names.
        guard type != nil || reading.keepsUnnamed else { return nil }
        var inner = reading
        inner.isCut = false
        var isRead = false
        let found = collect { isRead = $0.editMessage(content, type, inner, depth - 1) }
        return isRead ? found : nil
    }

    /// Edits a value that may be text, a message, packed numbers or other data: each reading that is
    /// possible.
    private mutating func editBytes(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) {
        let content = bytes.extracting(field.value)
        let readings = ProtobufReadings(content, depth: depth - 1)
        // A message without names, such as one in `Any`, may look like text or like an image.
        let isReadable =
            readings.isMessage
            ? reading.keepsUnnamed
            : readings.isText || reading.keepsUnnamed || Readability.isMedia(content)
        guard isReadable else { return doubt(bytes, field, known) }
        if depth <= 1, !readings.isText, ProtobufReader.reads(content, 0..<content.count) {
            return edits.remove(field.range, rules.inDoubt)
        }
        var inMessage = EditList()
        var other = EditList()
        if readings.isMessage { inMessage = nestedEdits(content, nil, reading, depth) ?? inMessage }
        if readings.isText {
            other = textEdits(content)
        } else if !readings.isMessage {
            search.edit(content, 0..<content.count, .plain, &other)
        }
        var types: [ProtobufWireType] = [.varint, .fixed64]
        if readings.isText {
            // The bytes of ASCII are numbers below 128, and eight letters are a number, too.
            types = known == nil && !content.isASCII ? [.varint] : []
        }
        let numbers = packedEdits(content, types)
        if numbers.isEmpty || inMessage.removes(numbers), inMessage.isEmpty || other.isEmpty {
            write(inMessage.isEmpty ? other : inMessage, in: content, over: field)
        } else if inMessage.isEmpty, other.isEmpty {
            edits.add(field.range, Span(), by: numbers)
        } else {
            // The edits of one reading may leave what another one found.
            let mask = Redactor.field(rules.replacement.maskText, over: field)
            edits.add(field.range, mask.span, by: inMessage.isEmpty ? other : inMessage)
        }
    }

    /// Edits a string, as a body without a type.
    private mutating func editText(_ bytes: Span<UInt8>, _ field: ProtobufField) {
        let content = bytes.extracting(field.value)
        write(textEdits(content), in: content, over: field)
    }

    private mutating func textEdits(_ content: Span<UInt8>) -> EditList {
        collect { $0.edit(content, 0..<content.count, ContentLabel(type: Span())) }
    }

    /// Searches the bytes of a value as they are.
    private mutating func searchRaw(_ bytes: Span<UInt8>, _ field: ProtobufField) {
        let content = bytes.extracting(field.value)
        var found = EditList()
        search.edit(content, 0..<content.count, .plain, &found)
        write(found, in: content, over: field)
    }

    /// Removes packed numbers if one of them, or their bytes, are a secret.
    private mutating func editPacked(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ type: ProtobufWireType
    ) {
        let content = bytes.extracting(field.value)
        var found = EditList()
        search.edit(content, 0..<content.count, .plain, &found)
        if found.isEmpty { found = numberEdits(content, type) }
        edits.add(field.range, Span(), by: found)
    }
}

// MARK: - Replacing values

extension Redactor {
    /// Masks a value that could not be read.
    private mutating func doubt(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?
    ) {
        guard rules.masksInDoubt else { return searchRaw(bytes, field) }
        replace(bytes, field, known, rules.inDoubt)
    }

    /// Replaces a value according to a rule: strings and bytes by the text of the rule's action,
    /// messages by an empty one; numbers are removed, since a number cannot be a mask.
    private mutating func replace(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?,
        _ rule: Rule
    ) {
        guard rule != rules.inDoubt || rules.masksInDoubt else { return }
        let secret = bytes.extracting(field.value)
        guard field.wireType == .lengthDelimited, rule.action != .remove,
            !(known.map { $0.type.isPackable } ?? false)
        else {
            if field.wireType == .lengthDelimited { rules.report(secret, rule) }
            return edits.remove(field.range, rule)
        }
        var text: [UInt8] = []
        if known?.type != .message {
            rules.report(secret, rule)
            rules.replacement.append(rule.action, of: secret, as: .plain, to: &text)
        }
        let output = Redactor.field(text, over: field)
        edits.add(field.range, rule) { $0 += output }
    }

    /// Writes the edited content of a field in place of the field, if there are edits.
    private mutating func write(
        _ found: EditList,
        in content: Span<UInt8>,
        over field: ProtobufField
    ) {
        guard !found.isEmpty else { return }
        let output = Redactor.field(found.apply(to: content), over: field)
        edits.add(field.range, output.span, by: found)
    }

    /// Returns a field with another content.
    private static func field(_ content: [UInt8], over field: ProtobufField) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(content.count + 12)
        ProtobufWriter.append(field.number, content.span, over: field, to: &output)
        return output
    }

    // MARK: Rules

    /// Returns the rule for a field, by its name in the schema or in JSON.
    private func rule(for field: ProtobufFieldType) -> Rule? {
        rules.json.rule(forNested: field.name.utf8.span)
            ?? rules.json.rule(forNested: field.jsonName.utf8.span)
    }

    /// Whether a value is not secret although a rule names it: flags and small counts.
    private func isHarmless(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ rule: Rule,
        _ known: ProtobufFieldType?
    ) -> Bool {
        switch field.wireType {
        case .lengthDelimited: return !rules.concerns(bytes.extracting(field.value), rule)
        case .varint, .fixed32, .fixed64:
            let text = known?.type == .bool ? "true" : "\(field.bits)"
            return rule.harmless.contains(text.utf8.span)
        case .group, .endOfGroup: return false
        }
    }
}

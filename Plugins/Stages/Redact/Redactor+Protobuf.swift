// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Protobuf messages: values by the names of their fields, strings by what detectors find in them.
///
/// Without a known type, fields have no names, so a message is masked like other data without
/// names; if its media type is kept, detectors search its strings and nested messages.
extension Redactor {
    /// The maximum nesting depth of messages; deeper ones are masked.
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
        let outer = exchange(&edits, with: EditList())
        let isRead = editMessage(message, type, reading, Redactor.maxMessageDepth)
        let inner = exchange(&edits, with: outer)
        guard isRead else { return editUnreadable(bytes, range, label) }
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
        search.edit(bytes, 0..<bytes.count, .plain, &edits)
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
        let pair = pairRule(bytes, type)
        var reader = ProtobufReader(0..<bytes.count, maxDepth: depth)
        do throws(ProtobufError) {
            while let field = try reader.next(in: bytes) {
                let known = type?.fields[field.number]
                var rule = known.flatMap { self.rule(for: $0) }
                if rule == nil, let pair, pair.value == field.number { rule = pair.rule }
                if let rule, !isHarmless(bytes, field, rule, known) {
                    replace(bytes, field, known, rule)
                } else if type != nil, known == nil, !reading.keepsUnnamed {
                    replace(bytes, field, nil, rules.inDoubt)
                } else {
                    editField(bytes, field, known, reading, depth)
                }
            }
        } catch {
            guard reading.isCut, error.code == .truncated else { return false }
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
        var inner = reading
        inner.isCut = false
        switch field.wireType {
        case .varint, .fixed32, .fixed64:
            guard field.wireType != .fixed32, let found = secret(in: field.bits) else { return }
            edits.add(field.range, Span(), by: found)
        case .group:
            guard !editNested(bytes, field, known?.messageIndex, inner, depth) else { return }
            doubt(bytes, field, known)
        case .lengthDelimited where field.value.isEmpty: break
        case .lengthDelimited:
            switch known?.type {
            case .message?, .group?:
                guard !editNested(bytes, field, known?.messageIndex, inner, depth) else { return }
                doubt(bytes, field, known)
            case .string?: editText(bytes, field)
            case .bytes?, nil: editBytes(bytes, field, known, inner, depth)
            default: editPacked(bytes, field, known)
            }
        case .endOfGroup: break
        }
    }

    /// Edits a nested message or a group; returns whether it could be read.
    private mutating func editNested(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ type: Int?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) -> Bool {
        // A type that the descriptors lack has no names.
        guard type != nil || reading.keepsUnnamed else { return false }
        let content = bytes.extracting(field.value)
        let outer = exchange(&edits, with: EditList())
        let isRead = editMessage(content, type, reading, depth - 1)
        let inner = exchange(&edits, with: outer)
        guard isRead else { return false }
        if !inner.isEmpty { write(inner.apply(to: content), over: field, by: inner) }
        return true
    }

    /// Edits a value that may be text, a message or other data: each reading that is possible.
    private mutating func editBytes(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) {
        let content = bytes.extracting(field.value)
        let readings = ProtobufReadings(content, depth: depth - 1)
        if readings.isText {
            let outer = exchange(&edits, with: EditList())
            editText(bytes, field)
            let asText = exchange(&edits, with: outer)
            guard readings.isMessage else { return edits.merge(asText) }
            // A message without names, such as one in `Any`, may look like text.
            guard reading.keepsUnnamed else { return doubt(bytes, field, known) }
            var asMessage = exchange(&edits, with: EditList())
            _ = editNested(bytes, field, nil, reading, depth)
            swap(&edits, &asMessage)
            if asText.isEmpty {
                edits.merge(asMessage)
            } else if asMessage.isEmpty {
                edits.merge(asText)
            } else {
                replace(bytes, field, known, rules.inDoubt)
            }
        } else if readings.isMessage, editNested(bytes, field, nil, reading, depth) {
            return
        } else if Readability.isMedia(content) || reading.keepsUnnamed {
            searchRaw(bytes, field)
        } else {
            doubt(bytes, field, known)
        }
    }

    /// Edits a string, as a body without a type.
    private mutating func editText(_ bytes: Span<UInt8>, _ field: ProtobufField) {
        let content = bytes.extracting(field.value)
        let outer = exchange(&edits, with: EditList())
        edit(content, 0..<content.count, ContentLabel(type: Span()))
        let inner = exchange(&edits, with: outer)
        if !inner.isEmpty { write(inner.apply(to: content), over: field, by: inner) }
    }

    /// Searches the bytes of a value as they are.
    private mutating func searchRaw(_ bytes: Span<UInt8>, _ field: ProtobufField) {
        let content = bytes.extracting(field.value)
        var found = EditList()
        search.edit(content, 0..<content.count, .plain, &found)
        if !found.isEmpty { write(found.apply(to: content), over: field, by: found) }
    }

    /// Removes packed numbers if one of them, or their bytes, are a secret.
    private mutating func editPacked(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ known: ProtobufFieldType?
    ) {
        var found = EditList()
        let content = bytes.extracting(field.value)
        search.edit(content, 0..<content.count, .plain, &found)
        if found.isEmpty, search.hasDetectors, let type = known?.type.wireType {
            var values = ProtobufPackedValues(content, type)
            while found.isEmpty, let bits = values.next(in: content) {
                if let secret = secret(in: bits) { found = secret }
            }
        }
        if !found.isEmpty { edits.add(field.range, Span(), by: found) }
    }

    /// Finds a secret in the digits of a number, such as a card number; signed numbers may be
    /// written in zigzag.
    private mutating func secret(in bits: UInt64) -> EditList? {
        guard search.hasDetectors else { return nil }
        for number in [bits, bits.unzigzagged.magnitude] where number >= 1_000_000_000 {
            let digits = "\(number)"
            var found = EditList()
            search.edit(digits.utf8.span, 0..<digits.utf8.count, .plain, &found)
            if !found.isEmpty { return found }
        }
        return nil
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

    /// Writes the edited content of a field in place of the field.
    private mutating func write(
        _ content: [UInt8],
        over field: ProtobufField,
        by inner: EditList
    ) {
        edits.add(field.range, Redactor.field(content, over: field).span, by: inner)
    }

    /// Returns a field with another content.
    private static func field(_ content: [UInt8], over field: ProtobufField) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(content.count + 12)
        guard field.wireType == .group else {
            ProtobufWriter.append(field.number, content.span, to: &output)
            return output
        }
        ProtobufWriter.append(tag: field.number, .group, to: &output)
        output += content
        ProtobufWriter.append(tag: field.number, .endOfGroup, to: &output)
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

    /// Returns the rule that the name in a pair has for its value.
    ///
    /// Pairs are entries of maps, and messages with the fields `name` or `key` and `value`. Without
    /// a type, the fields 1 and 2 may be a pair.
    private func pairRule(
        _ bytes: Span<UInt8>,
        _ type: ProtobufMessageType?
    ) -> (value: Int, rule: Rule)? {
        var (keys, value): (Set<Int>, Int) = ([1], 2)
        if let type, !type.isMapEntry {
            let fields = type.fields.values
            guard let content = fields.first(where: { $0.name == "value" }) else { return nil }
            keys = Set(fields.lazy.filter { ["key", "name"].contains($0.name) }.map(\.number))
            value = content.number
        }
        var reader = ProtobufReader(0..<bytes.count)
        var found: Rule?
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard keys.contains(field.number), field.wireType == .lengthDelimited,
                field.value.count <= 256
            else { continue }
            found = rules.json.rule(forNested: bytes.extracting(field.value)) ?? found
        }
        return found.map { (value, $0) }
    }
}

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
                if let rule, !isHarmless(bytes, field, rule, known) {
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
            guard reading.hasSecretNumbers, field.wireType != .fixed32,
                let found = secrets(in: [field.bits], field.wireType)
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
            case let type?: editPacked(bytes, field, [type.wireType])
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
        if !readNested(bytes, field, type, reading, depth) { doubt(bytes, field, known) }
    }

    /// Edits a nested message or a group; returns whether it could be read.
    private mutating func readNested(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ type: Int?,
        _ reading: ProtobufReading,
        _ depth: Int
    ) -> Bool {
        // A type that the descriptors lack has no names.
        guard type != nil || reading.keepsUnnamed else { return false }
        var inner = reading
        inner.isCut = false
        let content = bytes.extracting(field.value)
        let outer = exchange(&edits, with: EditList())
        let isRead = editMessage(content, type, inner, depth - 1)
        let found = exchange(&edits, with: outer)
        guard isRead else { return false }
        if !found.isEmpty { write(found.apply(to: content), over: field, by: found) }
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
            _ = readNested(bytes, field, nil, reading, depth)
            swap(&edits, &asMessage)
            if asText.isEmpty {
                edits.merge(asMessage)
            } else if asMessage.isEmpty {
                edits.merge(asText)
            } else {
                replace(bytes, field, known, rules.inDoubt)
            }
        } else if readings.isMessage, readNested(bytes, field, nil, reading, depth) {
            if reading.keepsUnnamed { editNumbers(bytes, field) }
        } else if Readability.isMedia(content) || reading.keepsUnnamed {
            searchRaw(bytes, field)
            if !edits.covers(field.range) { editNumbers(bytes, field) }
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
        _ types: [ProtobufWireType]
    ) {
        let content = bytes.extracting(field.value)
        var found = EditList()
        search.edit(content, 0..<content.count, .plain, &found)
        if !found.isEmpty { return edits.add(field.range, Span(), by: found) }
        editNumbers(bytes, field, types)
    }

    /// Removes a value if it can be read as packed numbers of which one is a secret.
    private mutating func editNumbers(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        _ types: [ProtobufWireType] = [.varint, .fixed64]
    ) {
        guard search.hasDetectors, !edits.covers(field.range) else { return }
        let content = bytes.extracting(field.value)
        for type in types {
            var values = ProtobufPackedValues(content, type)
            var numbers: [UInt64] = []
            while let bits = values.next(in: content) { numbers.append(bits) }
            // Other data is hardly ever a list of varints.
            guard values.isAtEnd || types.count == 1, let found = secrets(in: numbers, type)
            else { continue }
            return edits.add(field.range, Span(), by: found)
        }
    }

    /// Whether one of the numbers of a message is a secret; they are searched together if the
    /// detectors allow it.
    private mutating func hasSecretNumbers(_ bytes: Span<UInt8>) -> Bool {
        guard search.hasDetectors else { return false }
        var numbers: [ProtobufWireType: [UInt64]] = [:]
        var reader = ProtobufReader(0..<bytes.count)
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard field.wireType == .varint || field.wireType == .fixed64,
                field.bits >= Redactor.smallestNumber
            else { continue }
            numbers[field.wireType, default: []].append(field.bits)
        }
        return numbers.contains { secrets(in: $1, $0) != nil }
    }

    /// The smallest number that is searched.
    private static let smallestNumber: UInt64 = 1_000_000_000

    /// Finds secrets in the digits of numbers, such as card numbers.
    ///
    /// Varints may be signed, which are written in zigzag, and fixed numbers of eight bytes may be
    /// floating-point numbers.
    private mutating func secrets(
        in numbers: [UInt64],
        _ type: ProtobufWireType
    ) -> EditList? {
        guard search.hasDetectors else { return nil }
        var texts: [[UInt8]] = []
        func add(_ number: UInt64) {
            guard number >= Redactor.smallestNumber else { return }
            texts.append(Array("\(number)".utf8))
        }
        for bits in numbers {
            add(bits)
            if type == .varint { add(bits.unzigzagged.magnitude) }
            let double = Double(bitPattern: bits)
            if type == .fixed64, let whole = UInt64(exactly: double.magnitude) { add(whole) }
        }
        // No number contains the separator.
        if search.joins, !texts.isEmpty { texts = [Array(texts.joined(separator: ";\n".utf8))] }
        for text in texts {
            var found = EditList()
            search.edit(text.span, 0..<text.count, .plain, &found)
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

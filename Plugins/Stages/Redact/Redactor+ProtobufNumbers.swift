// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Numbers in protobuf messages, which detectors search as digits: card numbers, phone numbers.
///
/// **Limits**: the budget for embedded content. Numbers beyond it are removed in doubt, even without
/// a preset.
extension Redactor {
    /// Whether one of the numbers of a message is a secret; they are searched together if the
    /// detectors allow it.
    mutating func hasSecretNumbers(_ bytes: Span<UInt8>) -> Bool {
        guard search.hasDetectors else { return false }
        var texts = DecimalTexts()
        var reader = ProtobufReader(0..<bytes.count)
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard field.wireType.isNumber else { continue }
            texts.add(field.bits, field.wireType)
            if isLong(texts), secrets(in: &texts) != nil { return true }
        }
        return secrets(in: &texts) != nil
    }

    /// Finds secrets in the digits of a number.
    mutating func secrets(in bits: UInt64, _ type: ProtobufWireType) -> EditList? {
        guard search.hasDetectors else { return nil }
        var texts = DecimalTexts()
        texts.add(bits, type)
        return secrets(in: &texts)
    }

    /// Finds the edits that remove secrets from a content, if it can be read as packed numbers.
    mutating func packedEdits(
        _ content: Span<UInt8>,
        _ types: [ProtobufWireType]
    ) -> EditList {
        guard search.hasDetectors else { return EditList() }
        // Other data is hardly ever a list of varints.
        for type in types where ProtobufPackedValues.reads(content, type) {
            let found = numberEdits(content, type)
            if !found.isEmpty { return found }
        }
        return EditList()
    }

    /// Finds the edits that remove secrets from packed numbers.
    mutating func numberEdits(_ content: Span<UInt8>, _ type: ProtobufWireType) -> EditList {
        var found = EditList()
        guard search.hasDetectors, hasSecrets(content, type) else { return found }
        var values = ProtobufPackedValues(content, type)
        var start = 0
        while let bits = values.next(in: content) {
            if let secret = secrets(in: bits, type) {
                found.add(start..<values.position, Span(), by: secret)
            }
            start = values.position
        }
        return found
    }

    /// Whether one of packed numbers is a secret.
    private mutating func hasSecrets(_ content: Span<UInt8>, _ type: ProtobufWireType) -> Bool {
        var texts = DecimalTexts()
        var values = ProtobufPackedValues(content, type)
        while let bits = values.next(in: content) {
            texts.add(bits, type)
            if isLong(texts), secrets(in: &texts) != nil { return true }
        }
        return secrets(in: &texts) != nil
    }

    /// Whether texts are to be searched before more are added.
    private func isLong(_ texts: DecimalTexts) -> Bool {
        texts.bytes.count >= (search.joins ? DecimalTexts.batch : 1)
    }

    /// Searches texts, and removes them; returns what was found first.
    private mutating func secrets(in texts: inout DecimalTexts) -> EditList? {
        defer { texts.removeAll() }
        // No number contains the separator.
        guard !search.joins else { return secrets(in: texts.bytes.span) }
        for range in texts.ranges {
            if let found = secrets(in: texts.bytes.span.extracting(range)) { return found }
        }
        return nil
    }

    private mutating func secrets(in text: Span<UInt8>) -> EditList? {
        guard !text.isEmpty else { return nil }
        var found = EditList()
        if search.budget.bytesOfBody > 0 {
            search.budget.spend(max(text.count, DecimalTexts.least))
            search.edit(text, 0..<text.count, .plain, &found)
        } else {
            found.remove(0..<text.count, rules.inDoubt)
        }
        return found.isEmpty ? nil : found
    }
}

/// Numbers as a person would write them.
private struct DecimalTexts {
    /// How many bytes are searched together.
    static let batch = 1 << 14
    /// How many bytes a search counts at least, since it takes time of its own.
    static let least = 64
    /// The smallest number that is searched.
    private static let smallest: UInt64 = 1_000_000_000

    /// The texts, each followed by a separator.
    private(set) var bytes: [UInt8] = []
    /// The texts without the separators.
    private(set) var ranges: [Range<Int>] = []

    /// Adds everything that the bits of a number may mean, as far as it has ten digits.
    ///
    /// Varints may be signed, which are written in zigzag or as two's complement, of 32 bits or of 64.
    /// Fixed numbers of eight bytes may be floating-point numbers.
    mutating func add(_ bits: UInt64, _ type: ProtobufWireType) {
        add(bits)
        switch type {
        case .varint:
            addNegative(Int64(bitPattern: bits))
            addNegativeHalf(bits)
            let zigzag = bits.unzigzagged
            add(zigzag.magnitude, isNegative: zigzag < 0)
        case .fixed64:
            addNegative(Int64(bitPattern: bits))
            let double = Double(bitPattern: bits)
            if let whole = UInt64(exactly: double.magnitude) { add(whole, isNegative: double < 0) }
        case .fixed32: addNegativeHalf(bits)
        case .lengthDelimited, .group, .endOfGroup: break
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
    }

    /// Adds a number if it is negative; otherwise it is the same as without a sign.
    private mutating func addNegative(_ number: Int64) {
        if number < 0 { add(number.magnitude, isNegative: true) }
    }

    /// Adds a number of 32 bits if it is negative.
    private mutating func addNegativeHalf(_ bits: UInt64) {
        guard let half = UInt32(exactly: bits) else { return }
        addNegative(Int64(Int32(bitPattern: half)))
    }

    /// Adds a number and, if it is negative, also the number without its sign.
    private mutating func add(_ number: UInt64, isNegative: Bool = false) {
        guard number >= Self.smallest else { return }
        let digits = "\(number)"
        append(digits)
        if isNegative { append("-\(digits)") }
    }

    private mutating func append(_ text: String) {
        let start = bytes.count
        bytes.append(copying: text.utf8.span)
        ranges.append(start..<bytes.count)
        bytes.append(copying: ";\n".utf8.span)
    }
}

extension ProtobufWireType {
    fileprivate var isNumber: Bool {
        switch self {
        case .varint, .fixed32, .fixed64: true
        case .lengthDelimited, .group, .endOfGroup: false
        }
    }
}

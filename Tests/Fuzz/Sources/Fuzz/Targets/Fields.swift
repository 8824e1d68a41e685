// SPDX-License-Identifier: MIT

import TaplineModel

/// Field sections: after any sequence of changes, a section equals a plain list of pairs.
func fuzzFields(_ input: inout FuzzInput) {
    var section = FieldSection()
    var plain = PlainFields()
    while !input.isEmpty {
        step(&input, &section, &plain)
        require(section.count == plain.pairs.count, "wrong number of fields")
    }
    compare(section, plain)
}

/// The simplest implementation of a field section.
struct PlainFields {
    var pairs: [(name: [UInt8], value: [UInt8])] = []

    func positions(_ name: [UInt8]) -> [Int] {
        pairs.indices.filter { pairs[$0].name.map(Self.lowered) == name.map(Self.lowered) }
    }

    mutating func set(_ name: [UInt8], _ value: [UInt8]) {
        let found = positions(name)
        guard let first = found.first else {
            pairs.append((name, value))
            return
        }
        pairs[first].value = value
        for position in found.dropFirst().reversed() { pairs.remove(at: position) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 65 && byte <= 90 ? byte + 32 : byte
    }
}

private func step(
    _ input: inout FuzzInput,
    _ section: inout FieldSection,
    _ plain: inout PlainFields
) {
    let action = input.below(6)
    let name = Array(input.pick(["a", "A", "b", "B", "X-Long-Name", "x-long-name", ""]).utf8)
    let position = plain.pairs.isEmpty ? 0 : input.below(plain.pairs.count)
    let value = input.take(input.below(256))
    switch action {
    case 0:
        section.set(name.span, to: value.span)
        plain.set(name, value)
    case 1 where !plain.pairs.isEmpty:
        section.replaceValue(at: position, with: value.span)
        plain.pairs[position].value = value
    case 2 where !plain.pairs.isEmpty:
        section.remove(at: position)
        plain.pairs.remove(at: position)
    case 3:
        let found = plain.positions(name)
        for position in found.reversed() { plain.pairs.remove(at: position) }
        require(section.removeAll(name.span) == found.count, "wrong number of removed fields")
    case 4:
        section.append(name: value.span, value: name.span)
        plain.pairs.append((value, name))
    default:
        section.append(name: name.span, value: value.span)
        plain.pairs.append((name, value))
    }
    require(section.firstIndex(of: name.span) == plain.positions(name).first, "wrong position")
}

private func compare(_ section: FieldSection, _ plain: PlainFields) {
    var copy = FieldSection()
    for (position, pair) in plain.pairs.enumerated() {
        require(section.name(at: position).equals(pair.name.span), "wrong name")
        require(section.value(at: position).equals(pair.value.span), "wrong value")
        copy.append(name: pair.name.span, value: pair.value.span)
    }
    require(copy == section && copy.byteCount == section.byteCount, "not equal")
}

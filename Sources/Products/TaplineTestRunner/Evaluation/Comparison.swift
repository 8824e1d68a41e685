// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// Compares a value with the one that a test file expects, and points to each difference.
struct Comparison {
    /// Whether objects may have only the expected keys.
    let isExact: Bool
    /// The differences found so far.
    private(set) var mismatches: [Mismatch] = []

    init(isExact: Bool) { self.isExact = isExact }

    /// Compares a field, or a part of it.
    mutating func compare(_ path: ValuePath, _ node: ConfigNode, _ found: TestValue) {
        switch path.field.kind {
        case .text, .number: compareText(path, node, found)
        case .names, .headers:
            if path.name == nil {
                compareNames(path, node, found)
            } else {
                compareText(path, node, found)
            }
        case .json: compareJSON(path, node, found)
        }
    }

    /// Compares texts, quoted or not; several texts form a list.
    private mutating func compareText(_ path: ValuePath, _ node: ConfigNode, _ found: TestValue) {
        let expected: TestValue
        switch (node.value, found) {
        case (.sequence(let elements), _):
            expected = .list(elements.map { .text($0.text ?? "") })
            if case .list = found {
            } else {
                differ(path, node, expected, .list([found]))
                return
            }
        case (_, .number(let text)):
            expected = .number(node.text ?? "")
            if expected == .number(text) { return }
        default: expected = .text(node.text ?? "")
        }
        if expected != found { differ(path, node, expected, found) }
    }

    /// Compares all names of a section, each with its texts.
    private mutating func compareNames(_ path: ValuePath, _ node: ConfigNode, _ found: TestValue) {
        let ignoresCase = path.field.kind == .headers
        let pairs: [(key: String, value: TestValue)] = (node.pairs ?? []).map { key, value in
            let name = key.text ?? ""
            let texts = value.elements.map { $0.map { TestValue.text($0.text ?? "") } }
            return (
                ignoresCase ? name.lowercased() : name,
                texts.map { $0.count == 1 ? $0[0] : .list($0) } ?? .text(value.text ?? "")
            )
        }
        let expected = TestValue.object(pairs)
        if expected != found { differ(path, node, expected, found) }
    }

    private mutating func compareJSON(_ path: ValuePath, _ node: ConfigNode, _ found: TestValue) {
        switch (node.value, found) {
        case (.mapping(let pairs), .object(let members)):
            let known = Set(pairs.map { $0.key.text ?? "" })
            if isExact, members.contains(where: { !known.contains($0.key) }) {
                differ(path, node, TestValue(node), found)
                return
            }
            for (key, value) in pairs {
                let name = key.text ?? ""
                let inner = path.appending(.key(name))
                if let member = found[name] {
                    compareJSON(inner, value, member)
                } else {
                    mismatches.append(Mismatch(key.location, "'\(inner.text)' is missing"))
                }
            }
        case (.sequence(let elements), .list(let values)):
            guard elements.count == values.count else {
                differ(path, node, TestValue(node), found)
                return
            }
            for (index, (element, value)) in zip(elements, values).enumerated() {
                compareJSON(path.appending(.index(index)), element, value)
            }
        default:
            let expected = TestValue(node)
            if expected != found { differ(path, node, expected, found) }
        }
    }

    private mutating func differ(
        _ path: ValuePath,
        _ node: ConfigNode,
        _ expected: TestValue,
        _ found: TestValue
    ) {
        mismatches.append(
            Mismatch(
                node.location,
                "'\(path.text)' differs",
                expected: expected,
                found: found
            )
        )
    }
}

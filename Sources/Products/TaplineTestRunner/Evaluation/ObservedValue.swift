// SPDX-License-Identifier: MIT

/// The value found at a path.
enum ObservedValue: Sendable {
    /// There is no value, for this reason if it is worth showing.
    case absent(String?)
    /// The value cannot be determined, because its container is missing or cannot be read.
    case unknown(String)
    /// One value.
    case value(TestValue)
    /// All texts of a header field, or of another name that may be repeated.
    case texts([String])

    /// Creates a text, or an absent value from `nil`.
    init(_ text: String?) {
        self = text.map { .value(.text($0)) } ?? .absent(nil)
    }

    /// Creates a number, or an absent value from `nil`.
    init(_ number: Int?) {
        self = number.map { .value(.number(String($0))) } ?? .absent(nil)
    }

    /// Creates the texts of a name, or an absent value if there are none.
    init(texts: [String]) {
        self = texts.isEmpty ? .absent(nil) : .texts(texts)
    }

    /// Names with texts as an object; a name with several texts has a list.
    init(pairs: [(name: String, value: String)]) {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for pair in pairs {
            if values[pair.name] == nil { names.append(pair.name) }
            values[pair.name, default: []].append(pair.value)
        }
        self = .value(
            .object(
                names.map { name in
                    let texts = (values[name] ?? []).map { TestValue.text($0) }
                    return (name, texts.count == 1 ? texts[0] : .list(texts))
                }
            )
        )
    }

    /// The texts in which patterns and parts are searched; empty if there is no value.
    var texts: [String] {
        switch self {
        case .absent, .unknown: []
        case .texts(let texts): texts
        case .value(.text(let text)), .value(.number(let text)): [text]
        case .value(.bool(let flag)): [String(flag)]
        case .value(let value): [value.compactText]
        }
    }

    /// The value as a single one; several texts form a list.
    var value: TestValue? {
        switch self {
        case .absent, .unknown: nil
        case .value(let value): value
        case .texts(let texts):
            texts.count == 1 ? .text(texts[0]) : .list(texts.map { .text($0) })
        }
    }

    /// Returns the value after some steps into JSON.
    func following(_ steps: [ValuePath.Step]) -> ObservedValue {
        guard case .value(var value) = self else { return self }
        for step in steps {
            switch (step, value) {
            case (.key(let key), .object):
                guard let next = value[key] else { return .absent(nil) }
                value = next
            case (.index(let index), .list(let values)):
                guard index < values.count else { return .absent(nil) }
                value = values[index]
            default: return .absent(nil)
            }
        }
        return .value(value)
    }
}

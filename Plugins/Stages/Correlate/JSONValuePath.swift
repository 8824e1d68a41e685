// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// A path to a value in JSON: `$.meta.request_id`, `$.items[0].id`, `$['odd name']`.
struct JSONValuePath: Sendable, Equatable {
    /// One step of a path.
    enum Step: Sendable, Equatable {
        case name(String)
        case index(Int)
    }

    private static let maxSteps = 32

    let steps: [Step]

    /// Parses a path; returns `nil` if the text is not a valid path.
    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "$") else { return nil }
        var rest = text.dropFirst()
        var steps: [Step] = []
        while let first = rest.first {
            rest = rest.dropFirst()
            if first == "." {
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, name != "*" else { return nil }
                steps.append(.name(String(name)))
                rest = rest.dropFirst(name.count)
            } else if first == "[", let step = JSONValuePath.bracket(&rest) {
                steps.append(step)
            } else {
                return nil
            }
        }
        guard !steps.isEmpty, steps.count <= JSONValuePath.maxSteps else { return nil }
        self.steps = steps
    }

    /// Parses the rest of a step in brackets, up to the closing bracket.
    private static func bracket(_ rest: inout Substring) -> Step? {
        if let quote = rest.first, quote == "'" || quote == "\"" {
            let name = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(name.count + 1)
            guard rest.prefix(2).elementsEqual([quote, "]"]) else { return nil }
            rest = rest.dropFirst(2)
            return .name(String(name))
        }
        let digits = rest.prefix { $0 != "]" }
        guard let index = Int(digits), index >= 0, digits.count < rest.count else { return nil }
        rest = rest.dropFirst(digits.count + 1)
        return .index(index)
    }

    /// Returns the text, number or truth value at the path, or `nil` if there is none.
    func text(in root: JSONValue) -> [UInt8]? {
        var value = root
        for step in steps {
            guard let next = JSONValuePath.step(step, from: value) else { return nil }
            value = next
        }
        switch value.kind {
        case .object, .array, .null: return nil
        case .string: return value.asString.map { Array($0.utf8) }
        default: return Array(copying: value.bytes)
        }
    }

    @_lifetime(copy value)
    private static func step(_ step: Step, from value: JSONValue) -> JSONValue? {
        switch step {
        case .name(let name):
            guard value.kind == .object else { return nil }
            var members = value.members
            while let member = members.next() {
                if member.key.asString == name { return member.value }
            }
        case .index(let index):
            guard value.kind == .array else { return nil }
            var elements = value.elements
            var position = 0
            while let element = elements.next() {
                if position == index { return element }
                position += 1
            }
        }
        return nil
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The path of values in a JSON document: `$.items[0].id`, `$.items[*]['unit price']`.
///
/// **Limits**: at most 64 steps.
package struct JSONPath: Sendable, Equatable {
    /// One step from a value to values within it.
    package enum Step: Sendable, Equatable {
        /// The members with a name.
        case member([UInt8])
        /// One element.
        case element(Int)
        /// All members or elements.
        case every
    }

    static let maxSteps = 64

    /// The steps, from the root.
    package let steps: [Step]

    /// Parses a path; `nil` if it is not one.
    package init?(_ text: [UInt8]) {
        guard text.first == .ascii("$") else { return nil }
        var steps: [Step] = []
        var position = 1
        while position < text.count {
            guard steps.count < JSONPath.maxSteps,
                let step = text[position] == .ascii(".")
                    ? JSONPath.name(text, &position) : JSONPath.bracket(text, &position)
            else { return nil }
            steps.append(step)
        }
        self.steps = steps
    }

    /// Parses `.name` or `.*`.
    private static func name(_ text: [UInt8], _ position: inout Int) -> Step? {
        let start = position + 1
        var end = start
        while end < text.count, text[end] != .ascii("."), text[end] != .ascii("[") { end += 1 }
        guard end > start else { return nil }
        position = end
        return end == start + 1 && text[start] == .ascii("*")
            ? .every : .member(Array(text[start..<end]))
    }

    /// Parses `[3]`, `[*]`, `['name']` or `["name"]`.
    private static func bracket(_ text: [UInt8], _ position: inout Int) -> Step? {
        guard text[position] == .ascii("["), position + 2 < text.count else { return nil }
        let start = position + 1
        let quote = text[start]
        if quote == .ascii("'") || quote == .ascii("\"") {
            guard let end = text[(start + 1)...].firstIndex(of: quote), end + 1 < text.count,
                text[end + 1] == .ascii("]")
            else { return nil }
            position = end + 2
            return .member(Array(text[start + 1..<end]))
        }
        guard let end = text[start...].firstIndex(of: .ascii("]")), end > start else { return nil }
        position = end + 1
        if text[start..<end].elementsEqual("*".utf8) { return .every }
        guard text[start..<end].allSatisfy({ 0x30...0x39 ~= $0 }),
            let index = Int(String(decoding: text[start..<end], as: UTF8.self))
        else { return nil }
        return .element(index)
    }
}

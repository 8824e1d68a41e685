// SPDX-License-Identifier: MIT

package import TaplineSystem

/// The values of the variables that a configuration refers to, so that messages can hide them.
///
/// A file may take a password from the environment and use it in a path, or put it in the wrong
/// place by mistake. Only variables that the texts refer to are searched for. They are found by
/// their first bytes, since a message may truncate a value. Short values and paths are shown: they
/// are not secrets, and users need to see them.
package struct InterpolatedValues: Sendable {
    private var hidden: [(reference: String, value: [UInt8])] = []

    /// Collects the values that some texts refer to in an environment.
    package init(of texts: [[UInt8]], in environment: Environment) {
        for name in Set(texts.flatMap { Self.variables(in: $0) }).sorted() {
            guard let value = environment[name], value.utf8.count >= Self.shortestHidden,
                !value.hasPrefix("/"), !value.hasPrefix("./"), !value.hasPrefix("../")
            else { continue }
            hidden.append(("${\(name)}", Array(value.utf8)))
        }
        sort()
    }

    /// Adds the values of another configuration, which may refer to other variables.
    package mutating func formUnion(_ other: InterpolatedValues) {
        hidden += other.hidden.filter { new in !hidden.contains { $0 == new } }
        sort()
    }

    /// Puts the longest values first, so that none is hidden only in part.
    private mutating func sort() {
        hidden.sort { ($1.value.count, $0.reference) < ($0.value.count, $1.reference) }
    }

    /// Returns a message in which each value is replaced by a reference to its variable.
    package func hiding(in text: String) -> String {
        hidden.reduce(text) { Self.replace($1.value, with: $1.reference, in: $0) }
    }

    private static let shortestHidden = 6

    /// Returns the names after each `${`.
    private static func variables(in bytes: [UInt8]) -> [String] {
        var names: [String] = []
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[(start + 1)...]
            guard rest.first == UInt8(ascii: "{") else { continue }
            let name = rest.dropFirst().prefix {
                $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "\n")
            }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    /// Replaces a value, and each prefix of it that is long enough to reveal something.
    private static func replace(
        _ value: [UInt8],
        with reference: String,
        in text: String
    ) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            var length = 0
            while length < value.count, position + length < bytes.count,
                bytes[position + length] == value[length]
            {
                length += 1
            }
            if length >= shortestHidden {
                result += Array(reference.utf8)
                position += length
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Diagnostics {
    /// Returns the same problems, with each value replaced by a reference to its variable.
    package func hidingValues(of environment: Environment) -> Diagnostics {
        let sources = Set(all.compactMap { $0.location?.source })
        let values = InterpolatedValues(of: sources.map(\.bytes), in: environment)
        var shown = self
        shown.mapTexts { values.hiding(in: $0) }
        return shown
    }
}

// SPDX-License-Identifier: MIT

/// What the variables stand for that configuration refers to, so that no message shows it.
///
/// A file may take a password from the environment, and put it into a path, or where something else
/// belongs. Only variables that the texts refer to are looked for, by their first bytes, since a
/// message may cut what it shows. Short values and paths stay: they are what a user has to see, and
/// no secrets.
public struct InterpolatedValues: Sendable {
    private var hidden: [(reference: String, value: [UInt8])] = []

    /// The values that some texts refer to in an environment.
    public init(of texts: [[UInt8]], in environment: Environment) {
        for name in Set(texts.flatMap { Self.variables(in: $0) }).sorted() {
            guard let value = environment[name], value.utf8.count >= Self.shortestHidden,
                !value.hasPrefix("/"), !value.hasPrefix("./"), !value.hasPrefix("../")
            else { continue }
            hidden.append(("${\(name)}", Array(value.utf8)))
        }
        hidden.sort { ($1.value.count, $0.reference) < ($0.value.count, $1.reference) }
    }

    /// A message with the variable's reference in place of what it stands for.
    public func hiding(in text: String) -> String {
        hidden.reduce(text) { Self.replace($1.value, with: $1.reference, in: $0) }
    }

    private static let shortestHidden = 6

    /// The names after each `${`.
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

    /// Replaces a value, and every beginning of it that is long enough to tell something.
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
    /// The same problems, with the variable's reference in place of what it stands for.
    public func hidingValues(of environment: Environment) -> Diagnostics {
        let sources = Set(all.compactMap { $0.location?.source })
        let values = InterpolatedValues(of: sources.map(\.bytes), in: environment)
        var shown = self
        shown.mapTexts { values.hiding(in: $0) }
        return shown
    }
}

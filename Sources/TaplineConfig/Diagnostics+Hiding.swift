// SPDX-License-Identifier: MIT

extension Diagnostics {
    /// The same problems, with the variable's reference in place of what it stands for.
    ///
    /// A file may take a password from the environment, and put it where something else belongs;
    /// then a message would show it. Only variables that the texts at fault refer to are looked
    /// for, by their first bytes, since a message may cut what it shows. Short values and paths stay:
    /// they are what a user has to see, and no secrets.
    public func hidingValues(of environment: Environment) -> Diagnostics {
        let sources = Set(all.compactMap { $0.location?.source })
        var hidden: [(reference: String, value: [UInt8])] = []
        for name in Set(sources.flatMap { Self.variables(in: $0.bytes) }).sorted() {
            guard let value = environment[name], value.utf8.count >= Self.shortestHidden,
                !value.hasPrefix("/"), !value.hasPrefix("./"), !value.hasPrefix("../")
            else { continue }
            hidden.append(("${\(name)}", Array(value.utf8)))
        }
        guard !hidden.isEmpty else { return self }
        hidden.sort { ($1.value.count, $0.reference) < ($0.value.count, $1.reference) }
        var shown = self
        shown.mapTexts { text in
            hidden.reduce(text) { Self.replace($1.value, with: $1.reference, in: $0) }
        }
        return shown
    }

    private static let shortestHidden = 6

    /// The names behind each `${`.
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

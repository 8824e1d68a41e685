// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Replaces `${NAME}`, `${NAME:-default}` and `$$` in the scalars of a tree.
///
/// This happens after parsing, so a value cannot inject structure; keys are not replaced.
enum Interpolation {
    /// Returns the tree with variables replaced; `nil` if one is missing, which is reported.
    static func resolve(_ node: ConfigNode, _ context: inout OptionContext) -> ConfigNode? {
        switch node.value {
        case .null:
            return node
        case .scalar(let text, let isPlain):
            guard text.utf8.contains(UInt8(ascii: "$")) else { return node }
            guard let resolved = replace(text, node, &context) else { return nil }
            return ConfigNode(.scalar(resolved, isPlain: isPlain), at: node.location)
        case .sequence(let elements):
            let resolved = elements.map { resolve($0, &context) }
            let whole = resolved.compactMap(\.self)
            guard whole.count == elements.count else { return nil }
            return ConfigNode(.sequence(whole), at: node.location)
        case .mapping(let pairs):
            var whole: [ConfigNode.Pair] = []
            for (key, value) in pairs {
                guard let resolved = resolve(value, &context) else { continue }
                whole.append((key, resolved))
            }
            guard whole.count == pairs.count else { return nil }
            return ConfigNode(.mapping(whole), at: node.location)
        }
    }

    private static func replace(
        _ text: String,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> String? {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        var isComplete = true
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count else {
                result.append(bytes[index])
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case UInt8(ascii: "$"):
                result.append(UInt8(ascii: "$"))
                index += 2
            case UInt8(ascii: "{"):
                guard let variable = Variable(bytes, from: index) else {
                    context.diagnostics.error(
                        at: node.location(at: index, length: bytes.count - index),
                        "'${' begins a variable; expected ${NAME} or ${NAME:-default}",
                        help: "write '$${' for a plain '${'"
                    )
                    return nil
                }
                if let value = context.environment[variable.name] ?? variable.fallback {
                    result += Array(value.utf8)
                } else {
                    let place = context.environment.place.map { " in \($0)" } ?? ""
                    context.diagnostics.error(
                        at: node.location(at: index, length: variable.end - index),
                        "the environment variable \(quoted(variable.name)) is not set",
                        help: "set it\(place), or give a default: ${\(variable.name):-default}"
                    )
                    isComplete = false
                }
                index = variable.end
            default:
                result.append(bytes[index])
                index += 1
            }
        }
        return isComplete ? String(decoding: result, as: UTF8.self) : nil
    }

    /// `${NAME}` or `${NAME:-default}`.
    private struct Variable {
        var name: String
        var fallback: String?
        var end: Int

        /// Parses the variable at an offset; `nil` if there is none.
        init?(_ bytes: [UInt8], from start: Int) {
            var index = start + 2
            while index < bytes.count, Self.isNameByte(bytes[index], first: index == start + 2) {
                index += 1
            }
            guard index > start + 2, index < bytes.count else { return nil }
            name = String(decoding: bytes[(start + 2)..<index], as: UTF8.self)
            if bytes[index] == UInt8(ascii: ":") {
                guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "-"),
                    let close = bytes[(index + 2)...].firstIndex(of: UInt8(ascii: "}"))
                else { return nil }
                fallback = String(decoding: bytes[(index + 2)..<close], as: UTF8.self)
                index = close
            }
            guard bytes[index] == UInt8(ascii: "}") else { return nil }
            end = index + 1
        }

        private static func isNameByte(_ byte: UInt8, first: Bool) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "_"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): !first
            default: false
            }
        }
    }
}

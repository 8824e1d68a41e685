// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// The speed at which a recording is played.
enum ReplaySpeed: Sendable, Equatable {
    /// As fast as possible.
    case max
    /// The recorded spacing, divided by a factor.
    case times(Double)

    /// The valid factors.
    static let factors = 0.001...1_000_000.0
}

extension OptionType where Value == ReplaySpeed {
    /// `max`, `realtime`, or a factor such as `2x`.
    static var replaySpeed: Self {
        Self(
            name: "max | realtime | factor",
            schema: [
                "type": "string", "pattern": "^(max|realtime|[0-9]+([.][0-9]+)?x)$",
            ],
            describe: { speed in
                switch speed {
                case .max: "max"
                case .times(1): "realtime"
                case .times(let factor): "\(factor)x"
                }
            },
            decode: { node, context in
                let expected = "max, realtime or a factor such as 2x"
                switch node.text {
                case nil: return context.mismatch(node, expected: expected)
                case "max": return .max
                case "realtime": return .times(1)
                case let text?:
                    guard let factor = factor(text) else {
                        return context.error(
                            node,
                            "invalid speed; found '\(text)', expected \(expected)",
                            help: Double(text) == nil
                                ? Suggestion.help(for: text, among: ["max", "realtime"])
                                : "write '\(text)x' if that is what you mean"
                        )
                    }
                    guard ReplaySpeed.factors.contains(factor) else {
                        return context.error(
                            node,
                            "the speed is out of range; found \(text), expected 0.001x to 1000000x"
                        )
                    }
                    return .times(factor)
                }
            }
        )
    }

    private static func factor(_ text: String) -> Double? {
        guard text.utf8.last == UInt8(ascii: "x") else { return nil }
        let number = text.dropLast()
        let isPlain = number.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        guard isPlain, number.utf8.first != UInt8(ascii: "."),
            number.utf8.last != UInt8(ascii: ".")
        else { return nil }
        return Double(number)
    }
}

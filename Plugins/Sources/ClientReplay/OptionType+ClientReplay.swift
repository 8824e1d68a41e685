// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineConnections
internal import TaplineModel

extension OptionType where Value == [ReplayTargets.Target] {
    /// A URL without a path, or a mapping from patterns of hosts to such URLs.
    static var replayTargets: Self {
        Self(
            name: "URL or map of URL",
            schema: [
                "anyOf": [
                    ["type": "string"],
                    ["type": "object", "additionalProperties": ["type": "string"]],
                ]
            ]
        ) { node, context in
            if node.text != nil { return target("*", node, &context).map { [$0] } }
            guard let pairs = node.pairs, !pairs.isEmpty else {
                return context.mismatch(
                    node,
                    expected: "a URL such as http://127.0.0.1:9000, or a mapping from hosts to URLs"
                )
            }
            let targets = pairs.compactMap { target($0.key.text ?? "", $0.value, &context) }
            return targets.count == pairs.count ? targets : nil
        }
    }

    private static func target(
        _ hosts: String,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> ReplayTargets.Target? {
        let expected = "a URL without a path, such as http://127.0.0.1:9000 or h2c://127.0.0.1:9000"
        guard let text = node.text else { return context.mismatch(node, expected: expected) }
        guard let origin = Origin(url: text, allowsH2C: true) else {
            return context.error(
                node,
                "this is not a server; found '\(text)', expected \(expected)"
            )
        }
        return ReplayTargets.Target(hosts: Glob(hosts, ignoringCase: true), origin: origin)
    }
}

extension OptionType where Value == ReplaySchedule.Pace {
    /// `500/s`, or `100/s -> 2000/s over 5m`.
    static var replayRate: Self {
        let expected = "a rate such as 500/s, or 100/s -> 2000/s over 5m"
        return Self(name: "rate", schema: ["type": "string"]) { node, context in
            guard let text = node.text else { return context.mismatch(node, expected: expected) }
            let words = text.split(separator: " ").map(String.init)
            if words.count == 1, let rate = rate(words[0]), rate > 0 { return .constant(rate) }
            if words.count == 5, words[1] == "->", words[3] == "over", let from = rate(words[0]),
                let to = rate(words[2]), to > 0
            {
                let length = OptionType<Duration>.duration.decode(
                    ConfigNode(.scalar(words[4], isPlain: true), at: node.location),
                    &context
                )
                guard let length else { return nil }
                let seconds = Double(Microseconds(length).count) / 1e6
                return seconds > 0 ? .ramp(from: from, to: to, over: seconds) : .constant(to)
            }
            return context.error(node, "invalid rate; found '\(text)', expected \(expected)")
        }
    }

    /// Parses `500/s`, `30/m` or `0.5/s`.
    private static func rate(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = number(parts[0]), number <= 1e6 else { return nil }
        switch parts[1] {
        case "s": return number
        case "m": return number / 60
        case "h": return number / 3600
        default: return nil
        }
    }

    /// `1x`, `2x` or `max`.
    static var sendingSpeed: Self {
        let expected = "max, or a factor such as 2x"
        return Self(
            name: "max | factor",
            schema: ["type": "string", "pattern": "^(max|[0-9]+([.][0-9]+)?x)$"]
        ) { node, context in
            guard let text = node.text else { return context.mismatch(node, expected: expected) }
            if text == "max" { return .max }
            guard text.hasSuffix("x"), let factor = number(text.dropLast()),
                0.001...1_000_000 ~= factor
            else {
                return context.error(node, "invalid speed; found '\(text)', expected \(expected)")
            }
            return .recorded(factor)
        }
    }

    /// Parses digits with at most one point between them.
    private static func number(_ text: Substring) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain =
            parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { 0x30...0x39 ~= $0 }
            }
        return isPlain ? Double(text) : nil
    }
}

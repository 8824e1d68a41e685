// SPDX-License-Identifier: MIT

extension OptionType where Value == Int {
    /// A byte count with a unit: `512B`, `10MB` (powers of 1000), `64KiB`, `1GiB` (powers of 1024).
    public static var byteSize: Self {
        let units = ByteSizeText.units.map { ($0.name, $0.bytes) }
        return Self(
            name: "size",
            unit: "bytes",
            schema: [
                "type": "string", "pattern": .string(Quantity.pattern(units.map(\.0))),
            ],
            describe: { ByteSizeText.text($0) }
        ) { node, context in
            Quantity.decode(
                node,
                units,
                &context,
                what: "a size with its unit, such as 64KiB",
                suffix: "KiB"
            )
        }
    }
}

extension OptionType where Value == Int {
    /// A byte count with a unit, within bounds.
    package static func byteSize(in range: ClosedRange<Int>) -> Self {
        let any = byteSize
        return Self(
            name: any.name,
            unit: any.unit,
            schema: any.schema,
            describe: any.describe
        ) { node, context in
            guard let size = any.decode(node, &context) else { return nil }
            guard range.contains(size) else {
                let (least, most) = (range.lowerBound, range.upperBound)
                return context.error(
                    node,
                    "the size is out of range; found \(quoted(node.text ?? "")), expected a size from "
                        + "\(ByteSizeText.text(least)) to \(ByteSizeText.text(most))"
                )
            }
            return size
        }
    }

    /// A share of at most 100 %: `10%`, `0.5%`.
    ///
    /// **Units**: millionths.
    public static var percent: Self {
        Self(
            name: "percentage",
            unit: "percent",
            schema: ["type": "string", "pattern": .string(Quantity.pattern(["%"]))],
            describe: { PercentText.text($0) }
        ) { node, context in
            let what = "a percentage up to 100%, such as 10%"
            let value = Quantity.decode(node, PercentText.units, &context, what: what, suffix: "%")
            guard let value, value > 1_000_000 else { return value }
            return context.error(node, "the percentage is too large; expected \(what)")
        }
    }
}

extension OptionType where Value == Int? {
    /// A share as in `percent`, or `off` for `nil`.
    public static var percentOrOff: Self {
        let percent = OptionType<Int>.percent
        return Self(
            name: "percentage | off",
            schema: ["anyOf": [percent.schema, ["const": "off"]]],
            describe: { $0.map { PercentText.text($0) } ?? "off" }
        ) { node, context in
            if node.text == "off" { return .some(nil) }
            return percent.decode(node, &context).map { .some($0) }
        }
    }
}

/// Shares in the notation of the file.
enum PercentText {
    static let units = [("%", 10_000)]

    /// Returns millionths as a percentage: `10%`, `0.5%`.
    static func text(_ millionths: Int) -> String {
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 10_000)
        guard rest != 0 else { return "\(whole)%" }
        var digits = String(String(10_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)%"
    }
}

extension OptionType where Value == Duration {
    /// A time with a unit: `10us`, `250ms`, `10s`, `5m`, `1h`, `7d`.
    public static var duration: Self {
        let units = DurationText.units.map { ($0.name, $0.microseconds) }
        return Self(
            name: "time",
            unit: "time",
            schema: [
                "type": "string", "pattern": .string(Quantity.pattern(units.map(\.0))),
            ],
            describe: { DurationText.text($0) }
        ) { node, context in
            Quantity.decode(
                node,
                units,
                &context,
                what: "a time with its unit, such as 250ms",
                suffix: "s"
            ).map { Duration.microseconds($0) }
        }
    }
}

/// Durations in the notation of the file.
enum DurationText {
    static let units: [(name: String, microseconds: Int)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000),
        ("ms", 1000), ("us", 1),
    ]

    static func text(_ duration: Duration) -> String? {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
        guard !overflow, duration >= .zero else { return nil }
        let (total, tooMuch) = scaled.addingReportingOverflow(
            Int(clamping: attoseconds / 1_000_000_000_000)
        )
        guard !tooMuch else { return nil }
        guard total != 0 else { return "0s" }
        for unit in units where total % unit.microseconds == 0 {
            return "\(total / unit.microseconds)\(unit.name)"
        }
        return "\(total)us"
    }
}

/// Numbers with a unit.
enum Quantity {
    /// Returns the JSON Schema pattern of whole or decimal numbers with one of the units.
    static func pattern(_ units: [String]) -> String {
        "^[0-9]+([.][0-9]+)?(\(units.joined(separator: "|")))$"
    }

    /// Returns the number times its unit; bare numbers, unknown units and overflows are errors.
    static func decode(
        _ node: ConfigNode,
        _ units: [(String, Int)],
        _ context: inout OptionContext,
        what: String,
        suffix: String
    ) -> Int? {
        guard let text = node.text else { return context.mismatch(node, expected: what) }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = String(text[number.endIndex...])
        guard isNumber(number) else {
            return context.error(
                node,
                "this is not a quantity; found \(quoted(text)), expected \(what)"
            )
        }
        guard !name.isEmpty else {
            return context.error(
                node,
                "the unit is missing; found \(quoted(text)), expected \(what)",
                help: "write '\(text)\(suffix)' if that is what you mean"
            )
        }
        guard let factor = units.first(where: { $0.0 == name })?.1 else {
            let near = units.map(\.0).first { $0.lowercased() == name.lowercased() }
            return context.error(
                node,
                "unknown unit \(quoted(name)); expected one of "
                    + units.map(\.0).reversed().joined(separator: ", "),
                help: near.map { "did you mean '\(number)\($0)'?" }
            )
        }
        guard let value = product(number, factor) else {
            return context.error(node, "the quantity is too large; found \(quoted(text))")
        }
        return value
    }

    /// Returns the number times its unit; `nil` if the text has another form or the value
    /// overflows.
    static func value(_ text: String, _ units: [(String, Int)]) -> Int? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = text[number.endIndex...]
        guard isNumber(number), let factor = units.first(where: { $0.0 == name })?.1 else {
            return nil
        }
        return product(number, factor)
    }

    /// Returns whether digits and dots have the form `1` or `1.5`.
    private static func isNumber(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty }
    }

    /// Returns a whole or decimal number times a factor, rounded down; `nil` if it overflows.
    private static func product(_ number: Substring, _ factor: Int) -> Int? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = Int(parts[0]) else { return nil }
        let (value, overflow) = whole.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        var fraction = 0
        var scale = 1
        for digit in parts.dropFirst().first?.utf8.prefix(6) ?? "".utf8.prefix(0) {
            fraction = fraction * 10 + Int(digit) - 0x30
            scale *= 10
        }
        // At most 6 digits times a factor of at most 2^40, which is far below 2^63.
        let (sum, tooMuch) = value.addingReportingOverflow(fraction * factor / scale)
        return tooMuch ? nil : sum
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Shows texts with JSON Web Tokens in them: signatures are masked, and the other parts are shown
/// as JSON below the line.
struct TokenPrinter: ~Copyable {
    /// How many tokens of one line are shown as JSON.
    private static let maxTokens = 8
    /// A text of this size cannot contain a header and a payload.
    private static let minToken = 16
    private static let mask = "[masked]"

    private var parser = JSONParser(maxDepth: 64)
    /// The tokens of the current line.
    private var tokens: [JSONWebToken] = []
    /// How many tokens of the current line are not shown as JSON.
    private var others = 0

    /// Shows a text, with the signatures of tokens masked.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isJSON: Whether it is the content of a string of JSON, and is escaped like that.
    ///   - style: The style of the text.
    ///   - lines: The text to add to.
    mutating func show(
        _ text: Span<UInt8>,
        isJSON: Bool,
        _ style: Style,
        to lines: inout PrettyText
    ) {
        var start = 0
        while text.count - start > Self.minToken,
            let token = JSONWebToken.find(in: text, from: start, &parser)
        {
            let plain = text.extracting(start..<token.secret.lowerBound)
            Self.write(plain, isJSON: isJSON, style, to: &lines)
            if !token.secret.isEmpty { lines.put(Self.mask, .dim) }
            start = token.secret.upperBound
            if tokens.count < Self.maxTokens { tokens.append(token) } else { others += 1 }
        }
        Self.write(text.extracting(start..<text.count), isJSON: isJSON, style, to: &lines)
    }

    private static func write(
        _ text: Span<UInt8>,
        isJSON: Bool,
        _ style: Style,
        to lines: inout PrettyText
    ) {
        if isJSON { lines.showJSONString(text, style) } else { lines.show(text, style) }
    }

    /// Writes the parts of the tokens in the line that just ended.
    ///
    /// - Parameters:
    ///   - level: The level of the line.
    ///   - lines: The text to add to.
    mutating func writeParts(_ level: Int, to lines: inout PrettyText) {
        guard !tokens.isEmpty else { return }
        for token in tokens {
            part("JWT header", token.header, level + 1, to: &lines)
            if let payload = token.payload {
                part("JWT payload", payload, level + 1, to: &lines)
            } else {
                lines.begin(level + 1)
                lines.put("(JWT payload is encrypted or not base64)", .dim)
                lines.end()
            }
        }
        if others > 0 {
            lines.begin(level + 1)
            lines.put("(\(others) more tokens in this line)", .dim)
            lines.end()
        }
        tokens.removeAll()
        others = 0
    }

    private mutating func part(
        _ name: String,
        _ bytes: [UInt8],
        _ level: Int,
        to lines: inout PrettyText
    ) {
        lines.begin(level)
        lines.put(name, .dim)
        lines.end()
        if let document = try? parser.parse(bytes.span) {
            var strings = PlainStrings()
            var layout = JSONLayout(level: level + 1)
            layout.write(document, strings: &strings, to: &lines)
        } else {
            lines.showLines(bytes.span, level + 1)
        }
    }
}

extension TokenPrinter: JSONStringWriter {
    mutating func string(_ text: Span<UInt8>, to lines: inout PrettyText) {
        // Most strings contain no token.
        guard text.count > Self.minToken,
            JSONWebToken.find(in: text, from: 0, &parser) != nil
        else {
            lines.showJSONString(text, .green, isQuoted: true)
            return
        }
        lines.put("\"", .green)
        show(text, isJSON: true, .green, to: &lines)
        lines.put("\"", .green)
    }

    mutating func endLine(_ level: Int, to lines: inout PrettyText) {
        writeParts(level, to: &lines)
    }
}

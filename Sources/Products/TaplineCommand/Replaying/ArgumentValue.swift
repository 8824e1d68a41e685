// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig

/// An argument of the command line as values of a pipeline that the command generates.
///
/// Messages about these values name the argument and show its text, since there is no file.
struct ArgumentValue {
    /// How the text becomes the value of an option.
    enum Kind {
        /// As exactly this text: no `${NAME}` in it is replaced by an option that does so.
        case literal
        /// As a text in a file: the option decides whether it replaces `${NAME}`.
        case text
        /// As a number or a boolean.
        case plain
    }

    private let source: ConfigSource
    private let text: String

    /// - Parameters:
    ///   - text: The text of the argument.
    ///   - name: Its name in messages, such as `--rate`.
    init(_ text: String, of name: String) {
        self.text = text
        source = ConfigSource(name: name, text: text, hasLines: false)
    }

    /// The place of the whole argument.
    var location: SourceLocation { source.location(at: 0, length: text.utf8.count) }

    /// Returns the whole text as a value.
    func node(_ kind: Kind) -> ConfigNode { node(text[...], kind) }

    /// Returns a part of the text as a value.
    func node(_ part: Substring, _ kind: Kind) -> ConfigNode {
        let start = text.utf8.distance(from: text.startIndex, to: part.startIndex)
        let place = source.location(at: start, length: part.utf8.count)
        let value = String(part)
        return switch kind {
        case .literal: ConfigNode(.scalar(value.literalOptionValue, isPlain: false), at: place)
        case .text: ConfigNode(.scalar(value, isPlain: false), at: place)
        case .plain: ConfigNode(.scalar(value, isPlain: true), at: place)
        }
    }
}

extension ConfigNode {
    /// The place of values that a command generates by itself; no text is shown with it.
    private static let generated =
        ConfigSource(name: "command line", bytes: [], hasLines: false).location(at: 0)

    /// A mapping that a command generates.
    static func generated(mapping pairs: [(String, ConfigNode)]) -> ConfigNode {
        ConfigNode(.mapping(pairs.map { (.generated($0), $1) }), at: generated)
    }

    /// A list that a command generates.
    static func generated(list elements: [ConfigNode]) -> ConfigNode {
        ConfigNode(.sequence(elements), at: generated)
    }

    /// A text, a number or a boolean that a command generates.
    static func generated(_ text: String) -> ConfigNode {
        ConfigNode(.scalar(text, isPlain: true), at: generated)
    }
}

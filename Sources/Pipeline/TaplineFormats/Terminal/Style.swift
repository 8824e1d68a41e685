// SPDX-License-Identifier: MIT

/// The style of a part of a line, if colours are on.
///
/// Only the eight basic colours are used: users choose them in their terminal, so they are readable
/// on any background.
///
/// **Source**: ECMA-48 §8.3.117, select graphic rendition.
package struct Style: Equatable, Sendable {
    /// The parameters of the escape sequence; `nil` for plain text.
    let code: String?

    private init(_ code: String?) { self.code = code }

    /// Plain text.
    package static let plain = Style(nil)
    /// Bold text.
    package static let bold = Style("1")
    /// Less visible text.
    package static let dim = Style("2")
    /// Red text.
    package static let red = Style("31")
    /// Bold red text.
    package static let redBold = Style("1;31")
    /// Green text.
    package static let green = Style("32")
    /// Yellow text.
    package static let yellow = Style("33")
    /// Cyan text.
    package static let cyan = Style("36")

    /// The style of a status code, by its class (RFC 9110 §15).
    package static func status(_ code: Int) -> Style {
        switch code {
        case 200..<300: green
        case 300..<400: cyan
        case 400..<500: yellow
        case 500..<600: red
        default: plain
        }
    }
}

// SPDX-License-Identifier: MIT

/// Why a text is not the expected JSON document, and where.
///
/// The message never contains parts of the text, which may be confidential.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Equatable, Sendable {
        enum Value: UInt32 {
            case truncated = 1
            case empty = 2
            case badUTF8 = 3
            case controlCharacter = 4
            case badEscape = 5
            case loneSurrogate = 6
            case badNumber = 7
            case badLiteral = 8
            case expectedValue = 9
            case expectedKey = 10
            case expectedColon = 11
            case expectedComma = 12
            case trailingContent = 13
            case tooDeep = 14
            case tooLarge = 15
            case noMemory = 16
            case unknownLibrary = 17
        }

        let value: Value

        /// The text ends inside the document.
        package static let truncated = Code(value: .truncated)
        /// There is no value.
        package static let empty = Code(value: .empty)
        /// The bytes are not valid UTF-8.
        package static let badUTF8 = Code(value: .badUTF8)
        /// A string contains an unescaped control character.
        package static let controlCharacter = Code(value: .controlCharacter)
        /// An escape is not part of JSON.
        package static let badEscape = Code(value: .badEscape)
        /// A surrogate is not paired.
        package static let loneSurrogate = Code(value: .loneSurrogate)
        /// A number is not in JSON's format.
        package static let badNumber = Code(value: .badNumber)
        /// A word is not true, false or null.
        package static let badLiteral = Code(value: .badLiteral)
        /// Something else was found instead of a value.
        package static let expectedValue = Code(value: .expectedValue)
        /// Something else was found instead of a key.
        package static let expectedKey = Code(value: .expectedKey)
        /// A key has no colon.
        package static let expectedColon = Code(value: .expectedColon)
        /// There is neither a comma nor the end of the array or object.
        package static let expectedComma = Code(value: .expectedComma)
        /// The document is followed by other text.
        package static let trailingContent = Code(value: .trailingContent)
        /// Arrays and objects are nested more deeply than the parser's limit.
        package static let tooDeep = Code(value: .tooDeep)
        /// The document is larger than a parser can index (4 GiB).
        package static let tooLarge = Code(value: .tooLarge)
        /// There is not enough memory for the document.
        package static let noMemory = Code(value: .noMemory)
        /// The loaded simdjson library is not supported.
        package static let unknownLibrary = Code(value: .unknownLibrary)
    }

    /// The kind of error.
    package let code: Code
    /// The offset of the byte, from 0, at which the text is no longer valid.
    package let offset: Int

    /// The message, without the position.
    package var message: String {
        switch code.value {
        case .truncated: "the text ends inside a value"
        case .empty: "found nothing, expected a value"
        case .badUTF8: "the text is not valid UTF-8"
        case .controlCharacter: "found a control character in a string, expected an escape"
        case .badEscape: "found an unknown escape in a string"
        case .loneSurrogate: "found half a surrogate pair, expected both"
        case .badNumber: "found a malformed number"
        case .badLiteral: "found an unknown word, expected true, false or null"
        case .expectedValue: "unexpected content; expected a value"
        case .expectedKey: "unexpected content; expected a key in quotes"
        case .expectedColon: "unexpected content; expected ':' after a key"
        case .expectedComma: "unexpected content; expected ',' or the end of the list"
        case .trailingContent: "found something after the end of the document"
        case .tooDeep: "arrays and objects are nested too deeply"
        case .tooLarge: "the document is too large"
        case .noMemory: "there is not enough memory for the document"
        case .unknownLibrary: "the loaded simdjson library is not supported"
        }
    }

    /// The message and the position.
    package var description: String { "\(message); at byte \(offset)" }
}

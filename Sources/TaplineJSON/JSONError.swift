// SPDX-License-Identifier: MIT

/// Why a text is not the JSON document that was expected, and where.
///
/// The message never shows any of the text: it may hold what must not reach a log.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public struct Code: Equatable, Sendable {
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
        public static let truncated = Code(value: .truncated)
        /// There is no value at all.
        public static let empty = Code(value: .empty)
        /// The bytes are not valid UTF-8.
        public static let badUTF8 = Code(value: .badUTF8)
        /// A control character stands in a string without an escape.
        public static let controlCharacter = Code(value: .controlCharacter)
        /// An escape that JSON does not have.
        public static let badEscape = Code(value: .badEscape)
        /// Half a surrogate pair.
        public static let loneSurrogate = Code(value: .loneSurrogate)
        /// A number that is not written as JSON writes numbers.
        public static let badNumber = Code(value: .badNumber)
        /// A word other than true, false and null.
        public static let badLiteral = Code(value: .badLiteral)
        /// Something else stands where a value belongs.
        public static let expectedValue = Code(value: .expectedValue)
        /// Something else stands where a key belongs.
        public static let expectedKey = Code(value: .expectedKey)
        /// A key without a colon.
        public static let expectedColon = Code(value: .expectedColon)
        /// Neither a comma nor the end of the array or object.
        public static let expectedComma = Code(value: .expectedComma)
        /// Something stands after the document.
        public static let trailingContent = Code(value: .trailingContent)
        /// Arrays and objects nest deeper than the parser's limit.
        public static let tooDeep = Code(value: .tooDeep)
        /// The document is larger than a parser can index (4 GiB).
        public static let tooLarge = Code(value: .tooLarge)
        /// There is no memory for the document.
        public static let noMemory = Code(value: .noMemory)
        /// The simdjson that is loaded is not one that Tapline knows.
        public static let unknownLibrary = Code(value: .unknownLibrary)
    }

    /// What kind of error it is.
    public let code: Code
    /// The byte, counted from 0, where the text stops being right.
    public let offset: Int

    /// What is wrong, without the position.
    public var message: String {
        switch code.value {
        case .truncated: "the text ends inside a value"
        case .empty: "found nothing, expected a value"
        case .badUTF8: "the text is not valid UTF-8"
        case .controlCharacter: "found a control character in a string, expected an escape"
        case .badEscape: "found an unknown escape in a string"
        case .loneSurrogate: "found half a surrogate pair, expected both"
        case .badNumber: "found a malformed number"
        case .badLiteral: "found an unknown word, expected true, false or null"
        case .expectedValue: "found something else, expected a value"
        case .expectedKey: "found something else, expected a key in quotes"
        case .expectedColon: "found something else, expected ':' after a key"
        case .expectedComma: "found something else, expected ',' or the end of the list"
        case .trailingContent: "found something after the end of the document"
        case .tooDeep: "arrays and objects are nested too deeply"
        case .tooLarge: "the document is too large"
        case .noMemory: "there is no memory for the document"
        case .unknownLibrary: "the simdjson that is loaded is none that Tapline knows"
        }
    }

    /// What is wrong and where.
    public var description: String { "\(message); at byte \(offset)" }
}

// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// The kind of a JSON value.
@frozen @usableFromInline
package enum JSONKind: UInt8, Sendable {
    case null = 0
    case `false` = 1
    case `true` = 2
    case number = 3
    case string = 4
    case array = 5
    case object = 6

    /// The name in messages: 'an object', 'a string'.
    package var name: StaticString {
        switch self {
        case .null: "null"
        case .false, .true: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One entry of the flat arena that a parse fills: a value, or a key of an object.
///
/// **Shape**: the same 16 bytes as `tapline_json_token` in CSimdjsonShims, which writes them
/// (`hasLayoutOfC`).
@frozen @usableFromInline
package struct JSONToken: BitwiseCopyable, Sendable {
    /// The offset at which the value begins in the input; for a string, after the opening quote.
    @usableFromInline package let offset: UInt32
    /// The length in bytes: of a string after unescaping, of other values as written.
    @usableFromInline package let length: UInt32
    /// The index of the token after the whole value.
    @usableFromInline package let next: UInt32
    @usableFromInline let rawKind: UInt8
    @usableFromInline let flags: UInt8
    @usableFromInline let reserved: UInt16

    /// The kind of value.
    @inlinable package var kind: JSONKind {
        JSONKind(rawValue: rawKind) ?? .null
    }

    /// Whether a string was written with escapes, so that its bytes differ from the input.
    @inlinable package var isEscaped: Bool { flags & 1 != 0 }

    /// Whether a number was written with a fraction or an exponent.
    @inlinable package var isReal: Bool { flags & 2 != 0 }
}

extension JSONToken {
    /// Whether Swift's layout of a token is that of C, which writes them; determined once.
    static let hasLayoutOfC: Bool = {
        typealias Token = MemoryLayout<JSONToken>
        typealias InC = MemoryLayout<tapline_json_token>
        let sizes = [Token.size, Token.stride, Token.alignment]
        let offsets = [
            Token.offset(of: \.offset), Token.offset(of: \.length), Token.offset(of: \.next),
            Token.offset(of: \.rawKind), Token.offset(of: \.flags), Token.offset(of: \.reserved),
        ]
        return sizes == [InC.size, InC.stride, InC.alignment]
            && offsets == [
                InC.offset(of: \.offset), InC.offset(of: \.length), InC.offset(of: \.next),
                InC.offset(of: \.kind), InC.offset(of: \.flags), InC.offset(of: \.reserved),
            ]
    }()
}

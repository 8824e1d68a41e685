// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineServe

/// The password of a page that other machines can reach.
///
/// Only its authentication code under a random key is kept.
///
/// **Isolation**: any thread; immutable. It has no description.
package struct AccessPassword: Sendable {
    /// The smallest number of bytes.
    package static let minBytes = 12
    /// The largest number of bytes.
    package static let maxBytes = 1024

    private let key: HMACSHA256
    private let code: [UInt8]

    /// Takes a password.
    ///
    /// - Throws: `InspectorError` if it is too short or too long, or has characters that a form
    ///   cannot send.
    package init(_ bytes: [UInt8]) throws(InspectorError) {
        guard bytes.count >= Self.minBytes else {
            throw InspectorError(
                description: "the password has \(bytes.count) bytes; expected at least "
                    + "\(Self.minBytes)"
            )
        }
        guard bytes.count <= Self.maxBytes else {
            throw InspectorError(
                description: "the password has more than \(Self.maxBytes) bytes"
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy(Self.canBeTyped)
        else {
            throw InspectorError(
                description: "the password is not UTF-8, or has a control character"
            )
        }
        key = HMACSHA256(key: SecureRandom().bytes(count: 32).span)
        code = key.authenticate(bytes.span).bytes
    }

    /// Returns whether a text is the password, in a time that depends only on the text.
    func matches(_ text: String) -> Bool {
        AccessRules.areEqual(key.authenticate(text).bytes, code)
    }

    private static func canBeTyped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: scalar != "\u{FEFF}"
        }
    }
}

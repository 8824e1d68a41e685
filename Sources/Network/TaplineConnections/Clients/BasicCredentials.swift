// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// A user and a password in the form of a field (RFC 7617).
///
/// **Shape**: neither is ever part of a description.
package struct BasicCredentials: Sendable, Equatable, CustomStringConvertible {
    /// Base64 of `user:password`.
    private let token: [UInt8]
    /// The user and the password in the form of a URL (RFC 3986 §3.2.1).
    package let userInfo: String

    package init(user: String, password: String) {
        userInfo = [user, password]
            .map { String(decoding: PercentEncoding.encode($0.utf8.span), as: UTF8.self) }
            .joined(separator: ":")
        var token: [UInt8] = []
        Base64.encode("\(user):\(password)".utf8.span, into: &token)
        self.token = token
    }

    /// Returns whether a field value has these credentials, in a time that does not depend on the
    /// first difference.
    package func matches(_ value: Span<UInt8>) -> Bool {
        guard value.count > 6, value.extracting(0..<6).equalsIgnoringCase("basic ") else {
            return false
        }
        let given = value.extracting(6..<value.count)
        var difference = given.count ^ token.count
        for index in given.indices {
            // The length of the token stays hidden too, since its bytes repeat as often as needed.
            difference |= Int(given[index] ^ token[index % token.count])
        }
        return difference == 0
    }

    /// Returns whether these are the user and the password.
    package func matches(user: Span<UInt8>, password: Span<UInt8>) -> Bool {
        var given = Array(copying: user)
        given.append(.ascii(":"))
        given.append(copying: password)
        var value = Array("Basic ".utf8)
        Base64.encode(given.span, into: &value)
        return matches(value.span)
    }

    /// The field value for these credentials.
    package var fieldValue: ByteString { ByteString(Array("Basic ".utf8) + token) }

    package var description: String { "credentials" }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// A user and a password as a field carries them (RFC 7617).
///
/// **Shape**: neither is ever part of a description.
package struct BasicCredentials: Sendable, Equatable, CustomStringConvertible {
    /// Base64 of `user:password`.
    private let token: [UInt8]
    /// Both as they stand in a URL (RFC 3986 §3.2.1).
    package let userInfo: String

    package init(user: String, password: String) {
        userInfo = [user, password]
            .map { String(decoding: PercentEncoding.encode($0.utf8.span), as: UTF8.self) }
            .joined(separator: ":")
        var token: [UInt8] = []
        Base64.encode("\(user):\(password)".utf8.span, into: &token)
        self.token = token
    }

    /// Whether a field value holds these; takes as long whatever the first difference is.
    package func matches(_ value: Span<UInt8>) -> Bool {
        guard value.count > 6, value.extracting(0..<6).equalsIgnoringCase("basic ") else {
            return false
        }
        let given = value.extracting(6..<value.count)
        var difference = given.count ^ token.count
        for index in given.indices {
            // The length of what is right does not show either: it is gone round as often as needed.
            difference |= Int(given[index] ^ token[index % token.count])
        }
        return difference == 0
    }

    /// Whether these are the user and the password.
    package func matches(user: Span<UInt8>, password: Span<UInt8>) -> Bool {
        var given = Array(copying: user)
        given.append(.ascii(":"))
        given.append(copying: password)
        var value = Array("Basic ".utf8)
        Base64.encode(given.span, into: &value)
        return matches(value.span)
    }

    /// The value of a field that gives these.
    package var fieldValue: ByteString { ByteString(Array("Basic ".utf8) + token) }

    package var description: String { "credentials" }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The four forms of a request target (RFC 9112 §3.2).
@frozen
@usableFromInline package enum TargetForm: UInt8, Sendable, Equatable {
    /// A path, with an optional query: `/cart?x=1`.
    case origin
    /// A whole URL, as sent to a proxy: `http://shop.test/cart?x=1`.
    case absolute
    /// Host and port, for CONNECT: `shop.test:443`.
    case authority
    /// `*`, for OPTIONS.
    case asterisk

    /// Determines the form of a target; `nil` if it is not valid for the method.
    init?(_ target: Span<UInt8>, isConnect: Bool, isOptions: Bool) {
        guard !target.isEmpty else { return nil }
        if isConnect {
            // RFC 9112 §3.2.3: host and port; the port cannot be omitted.
            guard let authority = Authority(target), authority.port != nil else { return nil }
            self = .authority
        } else if target[0] == .ascii("/") {
            self = .origin
        } else if target[0] == .ascii("*"), target.count == 1 {
            // RFC 9112 §3.2.4: only for OPTIONS.
            guard isOptions else { return nil }
            self = .asterisk
        } else {
            // RFC 3986 §3.1: a scheme begins with a letter.
            guard URLParts(target) != nil, 0x61...0x7A ~= target[0].asciiLowercased else {
                return nil
            }
            self = .absolute
        }
    }
}

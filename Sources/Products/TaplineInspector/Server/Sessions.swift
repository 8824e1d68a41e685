// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCrypto
internal import TaplineServe

/// The token of the printed address, and the cookies and keys that browsers got for it.
///
/// **Isolation**: any thread.
final class Sessions: Sendable {
    /// How many browsers are logged in at most; the one that logged in first is forgotten.
    private static let limit = 64

    /// The token, in hexadecimal digits.
    let token: String
    private let values = Mutex<[AccessRules.Session]>([])

    init() { token = String(decoding: Self.secret(), as: UTF8.self) }

    /// The browsers that are logged in.
    var current: [AccessRules.Session] { values.withLock { $0 } }

    /// Exchanges the token for a cookie and a key; `nil` if it is wrong.
    func login(_ token: String) -> AccessRules.Session? {
        guard AccessRules.areEqual(Array(token.utf8), Array(self.token.utf8)) else { return nil }
        return open()
    }

    /// Makes a cookie and a key for a browser that has shown that it may log in.
    func open() -> AccessRules.Session {
        let value = AccessRules.Session(cookie: Self.secret(), key: Self.secret())
        values.withLock { values in
            values.append(value)
            if values.count > Self.limit { values.removeFirst() }
        }
        return value
    }

    /// 256 random bits in hexadecimal digits.
    static func secret() -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return SecureRandom().bytes(count: 32).flatMap { byte in
            [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}

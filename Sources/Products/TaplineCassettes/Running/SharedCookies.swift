// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The cookies that all tests share, as they were before a test: those of `URLSession.shared` and
/// of sessions with the default configuration.
struct SharedCookies {
    private let former = SharedCookies.current

    private static var current: [HTTPCookie] { HTTPCookieStorage.shared.cookies ?? [] }

    /// Removes the cookies that the test has received, and restores those that it has changed.
    func restore() {
        let storage = HTTPCookieStorage.shared
        let now = SharedCookies.current
        for cookie in now where !former.contains(where: cookie.isSame) {
            storage.deleteCookie(cookie)
        }
        for cookie in former where !now.contains(where: cookie.isSame) {
            storage.setCookie(cookie)
        }
    }
}

extension HTTPCookie {
    /// Whether two cookies have the same value in the same place.
    fileprivate func isSame(_ other: HTTPCookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && value == other.value
    }
}

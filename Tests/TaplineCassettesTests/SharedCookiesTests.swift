// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@testable import TaplineCassettes

/// The cookies of `URLSession.shared`, which exist once in a process.
@Suite(.serialized) struct SharedCookiesTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// The cookies with these names, as texts.
    private func cookies(_ names: [String]) -> [String] {
        let all = HTTPCookieStorage.shared.cookies ?? []
        return all.filter { names.contains($0.name) }.map { "\($0.name)=\($0.value)" }.sorted()
    }

    private func set(_ name: String, _ value: String) throws {
        let cookie = HTTPCookie(properties: [
            .name: name, .value: value, .domain: "cookies.test", .path: "/",
        ])
        HTTPCookieStorage.shared.setCookie(try #require(cookie))
    }

    /// A test whose requests depend on the tests before it could not be replayed alone.
    @Test(arguments: [RecordedMode.record, .replay])
    func cookiesOfATestDoNotReachTheNext(mode: RecordedMode) async throws {
        let shop = try Shop()
        let url = shop.path("/login")
        // The names are those of this case, because other tests use the same storage.
        let former = "former-\(mode)"
        let changed = "changed-\(mode)"
        defer {
            for cookie in HTTPCookieStorage.shared.cookies ?? []
            where [former, changed].contains(cookie.name) {
                HTTPCookieStorage.shared.deleteCookie(cookie)
            }
        }
        for mode in mode == .record ? [mode] : [.record, mode] {
            let options = test.options(mode) { $0.capturesShared = true }
            // A test of another suite that ends before this one has its turn removes the cookies,
            // which it did not find when it began.
            let areKept = Mutex(false)
            for _ in 0..<20 where !areKept.withLock({ $0 }) {
                try set(former, "1")
                try set(changed, "1")
                let problems = try await test.run(options) { (_) async throws in
                    let found = cookies([former, changed])
                    areKept.withLock { $0 = found.count == 2 }
                    _ = try await URLSession.shared.text(url)
                    #expect(cookies(["sid"]).count == 1)
                    try set(changed, "2")
                }
                #expect(problems == [])
            }
            #expect(areKept.withLock { $0 })
        }
        #expect(cookies(["sid"]) == [])
        #expect(cookies([former, changed]) == ["\(changed)=1", "\(former)=1"])
    }
}

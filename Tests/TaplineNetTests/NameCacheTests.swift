// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineNet

@Suite struct NameCacheTests {
    let found = NameCache.Answer.success([SocketAddress(.loopbackV4, port: 0)])
    let missing = NameCache.Answer.failure(NetError(.dns, "none"))

    @Test func expiresFailuresSooner() {
        var cache = NameCache(capacity: 10, lifetime: 100, failureLifetime: 10)
        cache.keep(found, for: "a", at: 0)
        cache.keep(missing, for: "b", at: 0)
        #expect(cache.answer(for: "a", at: 99) == found)
        #expect(cache.answer(for: "a", at: 100) == nil)
        #expect(cache.answer(for: "b", at: 9) == missing)
        #expect(cache.answer(for: "b", at: 10) == nil)
        #expect(cache.answer(for: "c", at: 0) == nil)
    }

    @Test func staysBounded() {
        var cache = NameCache(capacity: 3, lifetime: 100, failureLifetime: 10)
        for (place, name) in ["a", "b", "c", "d"].enumerated() {
            cache.keep(found, for: name, at: Int64(place))
        }
        #expect(cache.count == 3)
        #expect(cache.answer(for: "a", at: 4) == nil)
        #expect(cache.answer(for: "b", at: 4) == found)
        cache.keep(missing, for: "b", at: 5)
        #expect(cache.count == 3)
        #expect(cache.answer(for: "b", at: 6) == missing)
    }

    @Test func keepsNothingWithoutCapacity() {
        var cache = NameCache(capacity: 0, lifetime: 100, failureLifetime: 10)
        cache.keep(found, for: "a", at: 0)
        #expect(cache.answer(for: "a", at: 0) == nil)
    }
}

// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineTLS

@Suite("A table that evicts old entries")
struct GenerationCacheTests {
    @Test("never loses the last half of its capacity that was used, and never exceeds it")
    func recentEntriesStay() {
        var random = Random(seed: 42)
        var cache = GenerationCache<Int, Int>(capacity: 20)
        // The keys in the order of their last use.
        var used: [Int] = []
        for step in 0..<5000 {
            let key = random.below(60)
            if random.below(3) == 0 {
                guard cache.value(for: key) != nil else { continue }
            } else {
                cache.insert(step, for: key)
            }
            used.removeAll { $0 == key }
            used.append(key)
            #expect(cache.count <= 20)
            var copy = cache
            for recent in used.suffix(10) { #expect(copy.value(for: recent) != nil) }
        }
    }

    @Test("keeps an entry that is found, and drops one that is not used")
    func findingIsUsing() {
        var cache = GenerationCache<String, Int>(capacity: 4)
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { cache.insert(value, for: key) }
        #expect(cache.value(for: "a") == 1)
        cache.insert(4, for: "d")
        #expect(cache.value(for: "b") == nil)
        #expect(cache.value(for: "a") == 1)
    }

    @Test("has one value for each key")
    func replaces() {
        var cache = GenerationCache<String, Int>(capacity: 4)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        cache.insert(3, for: "c")
        // `a` is in the old half by now.
        cache.insert(10, for: "a")
        #expect(cache.value(for: "a") == 10)
        #expect(cache.count == 3)
    }

    @Test("removes an entry from both halves")
    func removes() {
        var cache = GenerationCache<String, Int>(capacity: 4)
        for key in ["old", "other", "young"] { cache.insert(1, for: key) }
        cache.remove("old")
        cache.remove("young")
        #expect(cache.value(for: "old") == nil && cache.value(for: "young") == nil)
        #expect(cache.count == 1)
    }
}

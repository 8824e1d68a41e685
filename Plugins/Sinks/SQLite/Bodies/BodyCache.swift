// SPDX-License-Identifier: MIT

internal import TaplineCrypto

/// A cache of recently repeated bodies by their whole hash: frequent ones need no database lookup.
struct BodyCache {
    private struct Slot {
        var digest = Digest(0, 0, 0, 0)
        /// The body's id; 0 if the slot is free.
        var body: Int64 = 0
    }

    private static let size = 1024

    private var slots = [Slot](repeating: Slot(), count: size)
    private var isEmpty = true

    private static func position(_ digest: Digest) -> Int {
        Int(truncatingIfNeeded: digest.word1) & (size - 1)
    }

    func find(_ digest: Digest) -> Int64? {
        let slot = slots[BodyCache.position(digest)]
        return slot.body != 0 && slot.digest == digest ? slot.body : nil
    }

    mutating func insert(_ digest: Digest, _ body: Int64) {
        slots[BodyCache.position(digest)] = Slot(digest: digest, body: body)
        isEmpty = false
    }

    mutating func removeAll() {
        guard !isEmpty else { return }
        self = BodyCache()
    }
}

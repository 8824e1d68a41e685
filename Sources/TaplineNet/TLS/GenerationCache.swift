// SPDX-License-Identifier: MIT

/// A bounded table that forgets what was not used for longest, roughly.
///
/// What is put in or found goes to the young half. When that is full it becomes the old half, and
/// the former old half is forgotten: two look-ups at most, no list to keep in order, and nothing
/// that was used among the last `capacity / 2` different keys is ever lost.
struct GenerationCache<Key: Hashable, Value> {
    private let half: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// A table for a number of entries, two at least.
    init(capacity: Int) { half = max(capacity / 2, 1) }

    /// How many entries there are.
    var count: Int { young.count + old.count }

    /// What is kept under a key; it counts as used.
    mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Keeps a value, in the place of any former one.
    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= half, young[key] == nil {
            swap(&young, &old)
            young.removeAll(keepingCapacity: true)
        }
        old.removeValue(forKey: key)
        young[key] = value
    }

    /// Forgets what is kept under a key.
    mutating func remove(_ key: Key) {
        young.removeValue(forKey: key)
        old.removeValue(forKey: key)
    }
}

// SPDX-License-Identifier: MIT

/// A bounded table that evicts approximately the least recently used entries.
///
/// Entries that are inserted or found move to the young half. When that is full, it becomes the old
/// half, and the previous old half is dropped. There are at most two lookups and no list to
/// maintain. The last `capacity / 2` different keys that were used are never lost.
struct GenerationCache<Key: Hashable, Value> {
    private let half: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Makes a table for a number of entries, at least two.
    init(capacity: Int) { half = max(capacity / 2, 1) }

    /// The number of entries.
    var count: Int { young.count + old.count }

    /// Returns the value for a key, and marks it as used.
    mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Inserts a value, replacing any previous one.
    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= half, young[key] == nil {
            swap(&young, &old)
            young.removeAll(keepingCapacity: true)
        }
        old.removeValue(forKey: key)
        young[key] = value
    }

    /// Removes the value for a key.
    mutating func remove(_ key: Key) {
        young.removeValue(forKey: key)
        old.removeValue(forKey: key)
    }
}

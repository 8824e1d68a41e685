// SPDX-License-Identifier: MIT

/// The results of several stores that earlier passes have given.
struct PassedResults {
    private struct Copy: Hashable {
        let store: Int
        let number: Int64
    }

    /// The key of the last result.
    private var last: StoreKey?
    /// The results with the same place in the order as the last one.
    ///
    /// Copies of an exchange in several stores have the same place, and a pass may end between them.
    private var copies: Set<Copy> = []

    /// Adds the results of a pass, which are in order.
    mutating func add(_ items: [Selection.Item], of query: StoreQuery) {
        guard let end = items.last?.key else { return }
        if let last, query.places(last, before: end) { copies = [] }
        for item in items.reversed() {
            if query.places(item.key, before: end) { break }
            copies.insert(Copy(store: item.store, number: item.key.number))
        }
        last = end
    }

    /// Returns whether an exchange comes after the results, or is another copy of the last one.
    func isFollowed(by key: StoreKey, _ store: Int, of query: StoreQuery) -> Bool {
        guard let last else { return true }
        if query.places(last, before: key) { return true }
        return !query.places(key, before: last)
            && !copies.contains(Copy(store: store, number: key.number))
    }
}

// SPDX-License-Identifier: MIT

/// A cache of lookup results; failures expire sooner.
struct NameCache {
    /// The addresses of a host, with port 0, or the error.
    typealias Answer = Result<[SocketAddress], NetError>

    private struct Entry {
        var answer: Answer
        var expires: Int64
    }

    private let capacity: Int
    private let lifetime: Int64
    private let failureLifetime: Int64
    private var entries: [String: Entry] = [:]

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of names; 0 for no cache.
    ///   - lifetime: How long addresses are valid, in microseconds.
    ///   - failureLifetime: How long a failure is valid, in microseconds.
    init(capacity: Int, lifetime: Int64, failureLifetime: Int64) {
        self.capacity = max(capacity, 0)
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
    }

    /// The number of names, including expired ones.
    var count: Int { entries.count }

    /// Returns the cached result for a name.
    func answer(for name: String, at now: Int64) -> Answer? {
        guard let entry = entries[name], entry.expires > now else { return nil }
        return entry.answer
    }

    /// Adds a result; if the cache is full, the entry that expires next is removed.
    mutating func keep(_ answer: Answer, for name: String, at now: Int64) {
        var lifetime = lifetime
        if case .failure = answer { lifetime = failureLifetime }
        guard capacity > 0, lifetime > 0 else { return }
        if entries.count >= capacity, entries[name] == nil,
            let oldest = entries.min(by: { $0.value.expires < $1.value.expires })
        {
            entries[oldest.key] = nil
        }
        entries[name] = Entry(answer: answer, expires: now &+ lifetime)
    }
}

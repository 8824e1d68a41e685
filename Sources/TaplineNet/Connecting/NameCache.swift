// SPDX-License-Identifier: MIT

/// What look-ups found, for a while; failures are kept too, but shorter.
struct NameCache {
    /// The addresses of a host, port 0, or why there are none.
    typealias Answer = Result<[SocketAddress], NetError>

    private struct Entry {
        var answer: Answer
        var expires: Int64
    }

    private let capacity: Int
    private let lifetime: Int64
    private let failureLifetime: Int64
    private var entries: [String: Entry] = [:]

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - capacity: How many names it keeps; none where 0.
    ///   - lifetime: For how many microseconds addresses are good.
    ///   - failureLifetime: For how many microseconds a failure is believed.
    init(capacity: Int, lifetime: Int64, failureLifetime: Int64) {
        self.capacity = max(capacity, 0)
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
    }

    /// How many names are kept, expired ones included.
    var count: Int { entries.count }

    /// What is known of a name.
    func answer(for name: String, at now: Int64) -> Answer? {
        guard let entry = entries[name], entry.expires > now else { return nil }
        return entry.answer
    }

    /// Keeps an answer; the one that expires next goes where there is no room.
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

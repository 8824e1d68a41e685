// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineStore

/// Reads recorded exchanges by their numbers, and keeps those that it has read.
///
/// **Limits**: 32 to 64 MiB of exchanges of databases.
/// **Isolation**: one thread at a time.
final class AnswerReader {
    private static let limit = 32 << 20

    let library: AnswerLibrary
    /// Called when reads begin to share a transaction; `nil` if they do not.
    private let holds: (() -> Void)?
    private var isHolding = false
    private var stores: StoreSet?
    private var latest: [Int: RecordedAnswer] = [:]
    private var former: [Int: RecordedAnswer] = [:]
    private var latestBytes = 0

    /// - Parameters:
    ///   - library: The recordings.
    ///   - holds: Called when reads begin to share a transaction, until the caller calls `release` a
    ///     few milliseconds later; `nil` if each read has its own.
    init(_ library: AnswerLibrary, holds: (() -> Void)? = nil) {
        self.library = library
        self.holds = holds
    }

    /// Ends the transaction that reads share.
    func release() {
        guard isHolding else { return }
        isHolding = false
        stores?.releaseSnapshots()
    }

    /// Returns the exchange with a number; `nil` if it cannot be read any more.
    func answer(_ number: Int) -> RecordedAnswer? {
        switch library.place(number) {
        case nil: return nil
        case .kept(let answer): return answer
        case .stored(let position):
            if let answer = latest[number] { return answer }
            guard let answer = former[number] ?? read(position) else { return nil }
            keep(answer, number)
            return answer
        }
    }

    /// Reads the recorded request with a number.
    func request(_ number: Int) -> Request? { answer(number)?.request }

    private func keep(_ answer: RecordedAnswer, _ number: Int) {
        if latestBytes >= Self.limit {
            former = latest
            latest = [:]
            latestBytes = 0
        }
        latest[number] = answer
        latestBytes += answer.memory
    }

    private func read(_ position: StorePosition) -> RecordedAnswer? {
        if stores == nil { stores = try? StoreSet(library.files) }
        hold()
        let found = try? stores?.exchanges(at: [position], [.fields, .bodies, .extra])
        guard let stored = found?.first ?? nil else { return nil }
        return RecordedAnswer(stored.exchange)
    }

    private func hold() {
        guard let holds, !isHolding, let stores else { return }
        guard (try? stores.holdSnapshots()) != nil else { return }
        isHolding = true
        holds()
    }
}

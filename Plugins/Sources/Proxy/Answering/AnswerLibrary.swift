// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// Recordings as answers: an index of all requests, and where their responses are.
///
/// Exchanges of databases are read when they are needed; those of other recordings are in memory.
///
/// **Isolation**: any thread.
final class AnswerLibrary: Sendable {
    /// Where a recorded exchange is.
    enum Place: Sendable {
        case kept(RecordedAnswer)
        case stored(StorePosition)
    }

    /// The largest recordings that are kept in memory, in bytes.
    static let maxKept = 512 << 20

    let answers: RecordedAnswers
    let files: [String]
    private let places: [Place]
    /// Exchanges that were recorded since.
    private let added = Mutex<[RecordedAnswer]>([])

    init(_ answers: RecordedAnswers, _ places: [Place], files: [String]) {
        self.answers = answers
        self.places = places
        self.files = files
    }

    /// Where the exchange with a number is; `nil` if there is none.
    func place(_ number: Int) -> Place? {
        if number < places.count { return places[number] }
        return added.withLock { added in
            let index = number - places.count
            return added.indices.contains(index) ? .kept(added[index]) : nil
        }
    }

    /// Adds an exchange that was recorded just now.
    ///
    /// - Returns: Whether it can answer requests.
    func add(_ exchange: borrowing Exchange) -> Bool {
        RecordedAnswer(exchange).map { add($0) } ?? false
    }

    /// Adds an answer.
    ///
    /// - Returns: Whether there is room for it.
    func add(_ answer: RecordedAnswer) -> Bool {
        added.withLock { added in
            // Both under one lock, so that numbers and places agree.
            guard answers.add(answer.request) != nil else { return false }
            added.append(answer)
            return true
        }
    }

    /// The exchanges that were recorded since, in order.
    var recorded: [RecordedAnswer] { added.withLock { $0 } }

    /// Whether an exchange has a response that can be sent again, or failed without one.
    static func isUsable(_ exchange: borrowing Exchange) -> Bool {
        guard !exchange.request.method.span.equals("CONNECT") else { return false }
        switch exchange.state {
        case .completed: return exchange.response.map { 200..<1000 ~= $0.status } ?? false
        case .failed: return exchange.response == nil
        case .cancelled: return false
        }
    }
}

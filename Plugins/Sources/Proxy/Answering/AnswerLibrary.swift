// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel
internal import TaplineNet
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

    /// What became of an exchange that is to answer requests.
    enum Addition: Sendable {
        case added
        /// It has no response that can be sent again.
        case unusable
        /// There is no room for it.
        case full
    }

    /// An exchange that was recorded since the recordings were read.
    private struct Recorded: Sendable {
        let answer: RecordedAnswer
        /// The number of its special rules.
        let special: Int?
    }

    private struct Added: Sendable {
        var all: [Recorded] = []
        var ids: Set<ExchangeID> = []
        /// Their memory.
        var bytes = 0
        /// The version of the recordings that replaces this one, and gets what is added from now on.
        var successor: AnswerLibrary?
    }

    /// The largest recordings that are kept in memory, in bytes: of those that were read, and of
    /// those that were added since.
    static let maxKept = 512 << 20

    let answers: RecordedAnswers
    let files: [String]
    /// The recorded hosts; empty if they are not checked.
    private let hosts: Set<ByteString>
    private let places: [Place]
    private let maxAdded: Int
    private let added = Mutex(Added())

    init(
        _ answers: RecordedAnswers,
        _ places: [Place],
        files: [String],
        hosts: Set<ByteString> = [],
        maxAdded: Int = AnswerLibrary.maxKept
    ) {
        self.answers = answers
        self.places = places
        self.files = files
        self.hosts = hosts
        self.maxAdded = maxAdded
    }

    /// Returns whether an authority names this machine or a recorded host, on any port.
    func knows(_ authority: ByteString) -> Bool {
        let host = authority.lowercasedHost
        return namesThisMachine(host) || hosts.contains(host)
    }

    /// Returns whether an authority names a recorded host that is not this machine.
    func knowsElsewhere(_ authority: ByteString) -> Bool {
        let host = authority.lowercasedHost
        return !namesThisMachine(host) && hosts.contains(host)
    }

    private func namesThisMachine(_ host: ByteString) -> Bool {
        var name = host.span
        if name.count > 2, name[0] == UInt8(ascii: "["), name[name.count - 1] == UInt8(ascii: "]") {
            name = name.extracting(1..<name.count - 1)
        }
        if let address = IPAddress(name) { return address.isLoopback }
        return host == "localhost"
    }

    /// Where the exchange with a number is; `nil` if there is none.
    func place(_ number: Int) -> Place? {
        if number < places.count { return places[number] }
        return added.withLock { added in
            let index = number - places.count
            return added.all.indices.contains(index) ? .kept(added.all[index].answer) : nil
        }
    }

    /// Whether the exchange with a number was read from a recording, and not added since.
    func wasRead(_ number: Int) -> Bool { number < places.count }

    /// Adds an exchange that was recorded just now.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - special: The number of its special rules.
    /// - Returns: Whether it answers requests from now on.
    func add(_ exchange: borrowing Exchange, by special: Int? = nil) -> Addition {
        guard let answer = RecordedAnswer(exchange) else { return .unusable }
        return add(answer, by: special) ? .added : .full
    }

    /// Adds an answer.
    ///
    /// - Returns: Whether there is room for it.
    func add(_ answer: RecordedAnswer, by special: Int? = nil) -> Bool {
        added.withLock { added in
            // Both under one lock, so that numbers and places agree.
            let memory = answer.memory
            guard added.bytes + memory <= maxAdded,
                answers.add(answer.request, by: special) != nil
            else { return false }
            added.all.append(Recorded(answer: answer, special: special))
            added.ids.insert(answer.id)
            added.bytes += memory
            // The recordings have been read again, but are not in use yet.
            _ = added.successor?.add(answer, by: special)
            return true
        }
    }

    /// The exchanges that were recorded since, in order.
    var recorded: [RecordedAnswer] { added.withLock { $0.all.map(\.answer) } }

    /// Whether an exchange was recorded since.
    var hasRecorded: Bool { added.withLock { !$0.all.isEmpty } }

    /// Whether this exchange was recorded since.
    func hasRecorded(_ id: ExchangeID) -> Bool { added.withLock { $0.ids.contains(id) } }

    // MARK: Reading again

    /// What an exchange has in common with the one that was read before.
    private enum Identity: Hashable {
        case exchange(ExchangeID)
        case row(StorePosition)
    }

    private func identity(_ number: Int, withRows: Bool) -> Identity? {
        switch place(number) {
        case .kept(let answer): .exchange(answer.id)
        case .stored(let position): withRows ? .row(position) : nil
        case nil: nil
        }
    }

    /// Takes over what was recorded since the recordings were read, and which ones were used.
    ///
    /// Sequences go on if the run has recorded something and the recorded requests are the same: a sink
    /// adds what is recorded to the file.
    func continueAfter(_ former: AnswerLibrary) {
        former.handOver(to: self)
        // Positions belong to the same rows only in the same databases.
        let withRows = files == former.files
        let used = Set(
            former.answers.used.compactMap { former.identity($0, withRows: withRows) }
        )
        guard !used.isEmpty else { return }
        let numbers = (0..<answers.count).filter { number in
            identity(number, withRows: withRows).map { used.contains($0) } ?? false
        }
        answers.markUsed(numbers)
    }

    /// Gives another version what was recorded since, and what will be, and the sequences.
    private func handOver(to successor: AnswerLibrary) {
        added.withLock { added in
            for recorded in added.all { _ = successor.add(recorded.answer, by: recorded.special) }
            added.successor = successor
            // Compared under the lock, so that both have the same additions.
            let goesOn = !added.all.isEmpty && successor.answers.continueSequences(of: answers)
            if !goesOn { successor.answers.noteForgotten(answers.forgottenCount) }
        }
    }

    /// Whether an exchange has a response that can be sent again, or failed without one.
    static func isUsable(_ exchange: borrowing Exchange) -> Bool {
        guard !exchange.request.method.span.equals("CONNECT") else { return false }
        // However a WebSocket ended, it can be answered up to there.
        if exchange.response?.status == 101 { return true }
        switch exchange.state {
        // Of those that the client has cancelled, only events can be sent again.
        case .completed, .cancelled:
            return exchange.response.map { 200..<1000 ~= $0.status } ?? false
        case .failed: return exchange.response == nil
        }
    }
}

extension ByteString {
    /// The host of an authority in lower case, without user-info and port.
    var lowercasedHost: ByteString {
        ByteString(lowercasing: span.extracting(AuthorityParts(span).host))
    }
}

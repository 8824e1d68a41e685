// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// A recorded exchange as an answer.
final class RecordedAnswer: Sendable {
    /// What the client gets.
    enum Outcome: Sendable {
        /// The response as it is sent.
        case response(Response)
        /// The connection is closed, as the network had failed.
        case failure(ExchangeError)
    }

    let id: ExchangeID
    let request: Request
    let outcome: Outcome
    /// How long the server took.
    let wait: Microseconds

    /// Makes an answer of an exchange; `nil` if it has neither a response that can be sent nor a
    /// failure in its place.
    init?(_ exchange: borrowing Exchange) {
        guard AnswerLibrary.isUsable(exchange) else { return nil }
        id = exchange.id
        request = exchange.request
        if let response = exchange.response {
            outcome = .response(response.asAnswer(to: exchange.request.method))
        } else {
            outcome = .failure(exchange.error ?? ExchangeError(code: "failed"))
        }
        wait = exchange.timing.wait ?? exchange.timing.total ?? Microseconds(0)
    }

    /// The approximate memory that it takes, in bytes.
    var memory: Int {
        var memory = 1024 + request.body.bytes.count + request.fields.byteCount
        if case .response(let response) = outcome {
            memory += response.body.bytes.count + response.fields.byteCount
        }
        return memory
    }
}

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

/// Reads recorded exchanges by their numbers, and keeps those that it has read.
///
/// **Limits**: 32 to 64 MiB of exchanges of databases.
/// **Isolation**: one thread at a time.
final class AnswerReader {
    private static let limit = 32 << 20

    let library: AnswerLibrary
    private var stores: StoreSet?
    private var latest: [Int: RecordedAnswer] = [:]
    private var former: [Int: RecordedAnswer] = [:]
    private var latestBytes = 0

    init(_ library: AnswerLibrary) { self.library = library }

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
        let found = try? stores?.exchanges(at: [position], [.fields, .bodies, .extra])
        guard let stored = found?.first ?? nil else { return nil }
        return RecordedAnswer(stored.exchange)
    }
}

extension Response {
    /// The response as it is sent again: with framing of its own, and with the coding that its kept
    /// bytes have.
    fileprivate func asAnswer(to method: ByteString) -> Response {
        var response = self
        response.version = "HTTP/1.1"
        if response.reason.isEmpty {
            response.reason = ByteString(Response.reason(of: response.status))
        }
        response.interim = []
        response.trailers = FieldSection()
        response.fields.removeAll("Trailer")
        if !response.body.bytes.isEmpty {
            // Recordings often contain decoded bytes, whatever the field says.
            response.fields.removeAll("Content-Encoding")
            let coding = response.body.coding
            if !coding.isEmpty {
                response.fields.append(name: "Content-Encoding".utf8.span, value: coding.span)
            }
        }
        let isHead = method.span.equals("HEAD")
        if !isHead || !response.body.bytes.isEmpty {
            response.body.size = response.body.bytes.count
        }
        response.body.isTruncated = false
        response.frame(answering: method)
        return response
    }
}

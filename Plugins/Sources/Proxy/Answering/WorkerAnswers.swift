// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineSystem

/// The recordings of one worker.
///
/// **Isolation**: the worker's thread.
final class WorkerAnswers {
    /// The answer to a request.
    enum Answer {
        case recorded(RecordedAnswer)
        case none(RecordedAnswers.Answer)
    }

    /// How long reads of databases share a transaction: long enough for many requests, and short
    /// enough for those who write to them.
    private static let holding = Microseconds(5_000)
    /// How many bytes of a request's body are compared.
    static let maxBody = 1 << 20

    let source: AnswerSource
    private var reader: AnswerReader
    private var version: Int
    private var timer: LoopTimer?

    init(_ source: AnswerSource, on loop: EventLoop) {
        self.source = source
        version = source.watch.number
        reader = AnswerReader(source.watch.value)
        timer = LoopTimer(on: loop) { [weak self] in self?.reader.release() }
        reader = makeReader()
    }

    private func makeReader() -> AnswerReader {
        AnswerReader(source.watch.value) { [weak self] in self?.timer?.arm(after: Self.holding) }
    }

    var settings: AnswerSettings { source.settings }

    /// Whether a request without a recording goes to its server.
    var reachesServers: Bool { settings.onMiss != .notFound }

    /// Returns whether an authority names this machine or a recorded host.
    func knows(_ authority: ByteString) -> Bool { source.watch.value.knows(authority) }

    /// Returns whether an authority names a recorded host that is not this machine.
    func knowsElsewhere(_ authority: ByteString) -> Bool {
        source.watch.value.knowsElsewhere(authority)
    }

    /// Returns the answer to a request.
    func answer(
        _ request: borrowing Request,
        _ asking: RecordedAnswers.Asking
    ) -> Answer {
        let current = source.watch.number
        if current != version {
            version = current
            reader = makeReader()
        }
        let reader = reader
        let found = reader.library.answers.answer(request, asking) { reader.request($0) }
        // An exchange may have been removed from its database in the meantime.
        guard case .recording(let number) = found, let answer = reader.answer(number) else {
            return .none(found)
        }
        source.settings.journal.noteHit()
        return .recorded(answer)
    }

    /// Explains why a request has no answer, and notes it.
    func miss(
        _ request: borrowing Request,
        _ answer: RecordedAnswers.Answer,
        _ asking: RecordedAnswers.Asking
    ) -> MissExplanation {
        let reader = reader
        // What was recorded in this run is not redacted, and may be another client's.
        let miss = reader.library.answers.explain(request, answer, asking) { number in
            reader.library.wasRead(number) ? reader.request(number) : nil
        }
        settings.journal.note(miss, source.log)
        return miss
    }

    /// Adds an exchange with the server to the answers.
    ///
    /// - Returns: Whether it can be sent again, even if there is no room for it.
    func record(_ exchange: borrowing Exchange) -> Bool {
        // Those of the reader may have been read again since its last answer.
        let special = settings.specialRules(for: exchange)
        switch source.watch.value.add(exchange, by: special) {
        case .added: settings.journal.noteRecorded()
        case .full: settings.journal.noteRefused(source.log)
        case .unusable: return false
        }
        return true
    }
}

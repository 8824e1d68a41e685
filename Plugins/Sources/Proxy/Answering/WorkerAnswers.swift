// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineMatching
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// The recordings from which the proxies of a run answer, read again when they change.
///
/// **Isolation**: any thread.
final class AnswerSource: Sendable {
    let settings: AnswerSettings
    let log: Log
    let watch: FileWatch<AnswerLibrary>

    /// Reads the recordings.
    init(_ settings: AnswerSettings, _ log: Log) throws {
        self.settings = settings
        self.log = log
        let stamps = FileStamps(try settings.paths.flatMap { try StoreFiles.resolve($0) })
        let library = try AnswerLibrary.load(settings, log)
        let first = library.files.first ?? ""
        watch = FileWatch(
            first,
            library,
            files: Array(library.files.dropFirst()),
            stamps: stamps
        )
        settings.journal.begin { [watch] in watch.value }
        guard settings.reloadInterval != nil, !library.files.contains("-") else { return }
        try watch.start(every: settings.reloadInterval) { [settings, watch = Weak(watch)] in
            AnswerSource.reload(settings, watch.value?.value, log)
        }
    }

    /// Ends watching.
    func stop() { watch.stop() }

    private static func reload(
        _ settings: AnswerSettings,
        _ former: AnswerLibrary?,
        _ log: Log
    ) -> FileWatch<AnswerLibrary>.Version {
        do {
            let library = try AnswerLibrary.load(settings, log)
            if let former { library.addRecorded(of: former) }
            return FileWatch.Version(library, files: Array(library.files.dropFirst()))
        } catch {
            log.error("the recordings have changed and cannot be used: \(error)")
            return FileWatch.Version(nil, files: Array((former?.files ?? []).dropFirst()))
        }
    }
}

/// A reference that does not keep a watch alive: its own thread would.
private struct Weak: Sendable {
    weak let value: FileWatch<AnswerLibrary>?

    init(_ value: FileWatch<AnswerLibrary>) { self.value = value }
}

/// The recordings of one worker.
///
/// **Isolation**: the worker's thread.
final class WorkerAnswers {
    /// The answer to a request.
    enum Answer {
        case recorded(RecordedAnswer)
        case none(RecordedAnswers.Answer)
    }

    /// How many bytes of a request's body are compared.
    static let maxBody = 1 << 20

    let source: AnswerSource
    private var reader: AnswerReader
    private var version: Int

    init(_ source: AnswerSource) {
        self.source = source
        version = source.watch.number
        reader = AnswerReader(source.watch.value)
    }

    var settings: AnswerSettings { source.settings }

    /// Whether a request without a recording goes to its server.
    var reachesServers: Bool { settings.onMiss != .notFound }

    /// Returns the answer to a request.
    func answer(
        _ request: borrowing Request,
        _ asking: RecordedAnswers.Asking
    ) -> Answer {
        let current = source.watch.number
        if current != version {
            version = current
            reader = AnswerReader(source.watch.value)
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
        let miss = reader.library.answers.explain(request, answer, asking) { reader.request($0) }
        settings.journal.note(miss, source.log)
        return miss
    }

    /// Adds an exchange with the server to the answers.
    func record(_ exchange: borrowing Exchange) {
        if reader.library.add(exchange) { settings.journal.noteRecorded() }
    }
}

// SPDX-License-Identifier: MIT

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
        // The watch keeps what reads the recordings, so that must not keep the watch: the journal
        // does.
        var reading = settings
        reading.journal = AnswerJournal()
        try watch.start(every: settings.reloadInterval) { [reading, watch = WeakWatch(watch)] in
            AnswerSource.reload(reading, watch.value?.value, log)
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
            let library = try AnswerLibrary.load(settings, log, after: former)
            return FileWatch.Version(library, files: Array(library.files.dropFirst()))
        } catch {
            log.error("the recordings have changed and cannot be used: \(error)")
            return FileWatch.Version(nil, files: Array((former?.files ?? []).dropFirst()))
        }
    }
}

/// A reference that does not keep a watch alive.
private struct WeakWatch: Sendable {
    weak let value: FileWatch<AnswerLibrary>?

    init(_ value: FileWatch<AnswerLibrary>) { self.value = value }
}

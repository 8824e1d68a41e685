// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// What a source has answered from recordings, and what it has not.
///
/// **Limits**: the last 100 misses; the first 20 are logged.
/// **Isolation**: any thread.
final class AnswerJournal: Sendable {
    private static let keptMisses = 100
    private static let loggedMisses = 20

    private struct Misses: Sendable {
        /// With values, and without.
        var texts: [(full: String, summary: String)] = []
        /// The position of the oldest one, once there are as many as are kept.
        var oldest = 0
    }

    private let hitCount = Atomic<Int>(0)
    private let missCount = Atomic<Int>(0)
    private let recordedCount = Atomic<Int>(0)
    private let refusedCount = Atomic<Int>(0)
    private let misses = Mutex(Misses())
    /// The recordings in use; `nil` before they are read.
    private let library = Mutex<(@Sendable () -> AnswerLibrary)?>(nil)

    /// Notes where the recordings in use are found.
    func begin(_ current: @escaping @Sendable () -> AnswerLibrary) {
        library.withLock { $0 = current }
    }

    /// Counts an answer.
    func noteHit() { hitCount.add(1, ordering: .relaxed) }

    /// Counts an exchange that was added to the recordings.
    func noteRecorded() { recordedCount.add(1, ordering: .relaxed) }

    /// Counts an exchange for which there is no room among the recordings, and logs the first one.
    func noteRefused(_ log: Log) {
        guard refusedCount.add(1, ordering: .relaxed).newValue == 1 else { return }
        log.warning("there is no room for more recordings; further ones are counted and not kept")
    }

    /// Counts and keeps a miss, and logs it without values.
    func note(_ miss: MissExplanation, _ log: Log) {
        let count = missCount.add(1, ordering: .relaxed).newValue
        if count <= Self.loggedMisses { log.warning(miss.summary) }
        if count == Self.loggedMisses { log.warning("further misses are counted but not logged") }
        let text = (full: miss.text, summary: miss.summary)
        misses.withLock { misses in
            if misses.texts.count < Self.keptMisses {
                misses.texts.append(text)
            } else {
                misses.texts[misses.oldest] = text
                misses.oldest = (misses.oldest + 1) % Self.keptMisses
            }
        }
    }

    /// The counters of the component.
    var metrics: [Metric] {
        let answers = library.withLock { $0 }?().answers
        let (count, used) = (answers?.count ?? 0, answers?.usedCount ?? 0)
        return [
            Metric("hits", of: "requests", count: hitCount.load(ordering: .relaxed)),
            Metric("misses", of: "requests", count: missCount.load(ordering: .relaxed)),
            Metric("used", of: "recordings", count: used),
            Metric("unused", of: "recordings", value: count - used),
            Metric("added", of: "recordings", count: recordedCount.load(ordering: .relaxed)),
            Metric("refused", of: "recordings", count: refusedCount.load(ordering: .relaxed)),
            Metric("forgotten", of: "sequences", count: answers?.forgottenCount ?? 0),
        ]
    }

    /// What was answered so far.
    ///
    /// - Parameter limit: How many misses and unused recordings are listed.
    /// - Returns: The counts and the lists.
    func report(limit: Int) -> AnswerReport {
        var report = AnswerReport()
        report.hits = hitCount.load(ordering: .relaxed)
        report.misses = missCount.load(ordering: .relaxed)
        misses.withLock { misses in
            let ordered = misses.texts[misses.oldest...] + misses.texts[..<misses.oldest]
            report.lastMisses = ordered.suffix(limit).map(\.full)
            report.lastMissSummaries = ordered.suffix(limit).map(\.summary)
        }
        guard let library = library.withLock({ $0 })?() else { return report }
        report.recordings = library.answers.count
        report.unused = report.recordings - library.answers.usedCount
        let reader = AnswerReader(library)
        for number in library.answers.unused(limit: limit) {
            guard let request = reader.request(number) else { continue }
            let path = request.target.span.extracting(request.pathRange)
            var template: [UInt8] = []
            PathTemplate.make(path, into: &template)
            let start = "\(request.method) \(request.authority)"
            report.firstUnused.append(start + String(decoding: Array(copying: path), as: UTF8.self))
            if library.wasRead(number) {
                report.firstUnusedRoutes.append(start + String(decoding: template, as: UTF8.self))
            }
        }
        return report
    }
}

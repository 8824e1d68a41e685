// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin

/// How files are followed.
struct FollowSettings: Sendable {
    /// The file that keeps the positions; `nil` for none.
    var checkpoint: String?
    var startsAtEnd = false
    /// How long a writer may still write to a file that was moved, in microseconds.
    var grace: Int64 = 1_000_000
    /// The time between two looks at files that have not grown, in microseconds.
    var interval: Int64 = 100_000
    /// The shortest time between two commits, in microseconds.
    var commitInterval: Int64 = 500_000
}

/// The figures of followed files, which any thread may read.
final class FollowFigures: Sendable {
    private struct Figure {
        let path: String
        let lag: Int
        let truncations: Int
        let missed: Int

        init(_ file: FollowedFile) {
            path = file.path
            lag = file.lag
            truncations = file.truncations
            missed = file.missed
        }
    }

    private struct State {
        var files: [Figure] = []
        var unconfirmed = 0
    }

    private let state = Mutex(State())

    func set(_ files: [FollowedFile], unconfirmed: Int) {
        let new = State(files: files.map(Figure.init), unconfirmed: unconfirmed)
        state.withLock { $0 = new }
    }

    var metrics: [Metric] {
        let figures = state.withLock { $0 }
        if figures.files.isEmpty { return [] }
        let unconfirmed = Metric(
            "unconfirmed batches",
            of: "checkpoint",
            value: figures.unconfirmed
        )
        let files = figures.files.flatMap { figure in
            [
                Metric("lag bytes", of: figure.path, value: figure.lag),
                Metric("truncations", of: figure.path, count: figure.truncations),
                Metric("missed files", of: figure.path, count: figure.missed),
            ]
        }
        return [unconfirmed] + files
    }
}

/// One run that follows files, on one thread.
struct FollowRun: ~Copyable {
    private let follow: FollowSettings
    private let intake: any Intake
    /// Ends the reading; batches that were begun are completed.
    private let stopping: ReplayControl
    private let control: ReplayControl
    private let place: Parker
    private let clock: ReplayClock
    /// The positions; `nil` without a checkpoint.
    private let progress: FollowProgress?
    private let files: [FollowedFile]
    private let figures: FollowFigures
    private var worker: ReplayWorker
    private var committed: Int64
    private var bytes: Int64 = 0

    init(
        _ source: ReplaySource,
        _ follow: FollowSettings,
        _ intake: any Intake,
        stopping: ReplayControl,
        _ control: ReplayControl
    ) throws {
        let (settings, log) = (source.settings, intake.log)
        let checkpoint = try follow.checkpoint.map { try FollowCheckpoint($0) }
        if let path = follow.checkpoint { log.info("the positions are kept in '\(path)'") }
        let files = try source.followed.map { path in
            let file = FollowedFile(
                path,
                settings,
                grace: follow.grace,
                neighbours: source.followed.filter { $0 != path }
            ) { log.warning($0) }
            if let checkpoint, let found = checkpoint.found[path] {
                try file.resume(at: found.mark) { start in
                    let head = Array(start.prefix(found.mark.head.count))
                    return checkpoint.digest(head) == found.digest
                }
            }
            return file
        }
        let broken = BrokenRecords(settings.badRecords, intake)
        worker = try ReplayWorker(settings, intake, control, broken, clock: source.clock)
        self.follow = follow
        self.intake = intake
        self.stopping = stopping
        self.control = control
        self.files = files
        figures = source.figures
        clock = source.clock
        committed = source.clock.now()
        place = stopping.makePlace()
        progress = checkpoint.map { FollowProgress($0, log: log) }
    }

    /// Reads until the run is stopped.
    mutating func run() {
        while !stopping.isEnding, !control.isEnding {
            var hasRead = false
            for file in files where !stopping.isEnding && !control.isEnding {
                do {
                    if try step(file) { hasRead = true }
                } catch {
                    control.fail(error, in: 0)
                }
            }
            figures.set(files, unconfirmed: progress?.unconfirmed ?? 0)
            let lag = files.reduce(Int64(0)) { $0 + Int64($1.lag) }
            intake.progress(done: bytes, of: bytes + lag)
            let now = clock.now()
            if now - committed >= follow.commitInterval {
                committed = now
                progress?.commit()
                progress?.checkStall(now: now)
            }
            if !hasRead { clock.wait(place, follow.interval) }
        }
        worker.close()
        guard let progress else { return }
        let end = clock.now() + intake.drainTimeout.count
        let waiting = Parker()
        while !progress.isComplete, clock.now() < end { waiting.wait(microseconds: 5_000) }
        figures.set(files, unconfirmed: progress.unconfirmed)
        progress.end()
    }

    /// Reads a part of a file; returns whether there was any.
    private mutating func step(_ file: FollowedFile) throws -> Bool {
        let before = file.mark
        var records = RawRecords(file: file.path)
        guard try file.read(&records, now: clock.now()) else { return false }
        guard let mark = file.mark else { return true }
        if mark.identity == before?.identity {
            bytes += Int64(max(0, mark.offset - (before?.offset ?? 0)))
        }
        let chunk = Chunk(
            content: .records(records),
            count: records.count,
            number: 0,
            first: 0,
            pass: 0,
            base: file.base
        )
        worker.process(chunk)
        guard !control.isEnding else {
            worker.submit(ticket: nil)
            return true
        }
        if mark != before {
            if let progress {
                let number = progress.issue(file.path, mark)
                worker.submit(ticket: nil) { progress.acknowledge(number) }
            } else {
                worker.submit(ticket: nil)
            }
        }
        file.closeIfComplete()
        return true
    }
}

// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineFormats
internal import TaplinePlugin

/// A configured replay: one thread splits recordings into chunks, others pass them through lanes.
///
/// With one worker, one thread does both. The run does not block a thread of the caller's pool.
struct ReplaySource: Source {
    let recordings: RecordingList
    var settings: ReplaySettings
    var clock = ReplayClock.system
    /// The paths to follow instead of reading recordings.
    var followed: [String] = []
    let figures = FollowFigures()

    var metrics: [Metric] { figures.metrics }

    var claims: [ResourceClaim] {
        if let follow = settings.follow { return follow.checkpoint.map { [.file($0)] } ?? [] }
        return recordings.recordings.contains(where: \.isStandardInput) ? [.standardInput] : []
    }

    func run(_ intake: any Intake) async throws {
        if let follow = settings.follow { return try await self.follow(follow, intake) }
        let control = ReplayControl()
        let run = ReplayRun(self, intake, control)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                run.start { continuation.resume() }
            }
        } onCancel: {
            control.stop()
        }
        if let error = control.error { throw error }
    }
}

extension ReplaySource {
    /// Follows files until the task is cancelled.
    private func follow(_ follow: FollowSettings, _ intake: any Intake) async throws {
        let (stopping, control) = (ReplayControl(), ReplayControl())
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "tapline.\(intake.id).follow").async {
                    do {
                        var run = try FollowRun(self, follow, intake, stopping: stopping, control)
                        run.run()
                    } catch {
                        control.fail(error, in: 0)
                    }
                    continuation.resume()
                }
            }
        } onCancel: {
            stopping.stop()
        }
        if let error = control.error { throw error }
    }
}

/// The threads of one run.
private final class ReplayRun: Sendable {
    private let source: ReplaySource
    private let intake: any Intake
    private let control: ReplayControl
    private let broken: BrokenRecords

    init(_ source: ReplaySource, _ intake: any Intake, _ control: ReplayControl) {
        self.source = source
        self.intake = intake
        self.control = control
        broken = BrokenRecords(source.settings.badRecords, intake)
    }

    /// Starts the threads; calls `done` when the last one has ended.
    func start(_ done: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        let settings = source.settings
        // A single thread with one clock keeps the recorded spacing.
        let workers = settings.speed == .max ? settings.workers : 1
        if workers == 1 {
            thread("run", group) { self.runAlone() }
        } else {
            let queue = ChunkQueue(window: 2 * workers + 2, control: control)
            thread("read", group) { self.read(into: queue) }
            for number in 0..<workers {
                thread("work.\(number)", group) { self.work(on: queue) }
            }
        }
        group.notify(queue: DispatchQueue(label: "tapline.\(intake.id).done"), execute: done)
    }

    private func thread(
        _ name: String,
        _ group: DispatchGroup,
        _ work: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: "tapline.\(intake.id).\(name)").async(group: group, execute: work)
    }

    private func makeWorker() -> ReplayWorker? {
        do {
            return try ReplayWorker(source.settings, intake, control, broken, clock: source.clock)
        } catch {
            control.fail(error, in: 0)
            return nil
        }
    }

    private func makeFeed() -> RecordingFeed {
        RecordingFeed(source.recordings, source.settings, intake, control, broken)
    }

    private func runAlone() {
        guard var worker = makeWorker() else { return }
        var feed = makeFeed()
        var spare: RawRecords?
        while let chunk = feed.next({ spare?.file == $0 ? spare.take() : nil }) {
            worker.process(chunk)
            worker.submit(ticket: nil)
            spare = chunk.takeBuffer()
        }
        worker.close()
    }

    private func read(into queue: ChunkQueue) {
        var feed = makeFeed()
        while queue.waitForRoom(feed.nextNumber),
            let chunk = feed.next({ queue.takeSpare(for: $0) })
        {
            queue.push(chunk)
        }
        queue.close()
    }

    private func work(on queue: ChunkQueue) {
        guard var worker = makeWorker() else { return }
        let isOrdered = source.settings.order == .keep
        while let chunk = queue.pop(at: worker.place) {
            worker.process(chunk)
            worker.submit(ticket: isOrdered ? chunk.number : nil)
            queue.finish(chunk)
        }
        worker.close()
    }
}

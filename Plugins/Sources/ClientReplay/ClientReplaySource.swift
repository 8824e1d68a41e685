// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStore

/// A configured replay to servers: one thread reads recordings, an event loop sends requests.
struct ClientReplaySource: ReplayStart.Participant {
    let settings: ClientReplaySettings

    var claims: [ResourceClaim] {
        settings.paths.contains("-") ? [.standardInput] : []
    }

    var startsTogether: Bool { settings.startsTogether && !settings.isDryRun }

    func run(_ intake: any Intake) async throws {
        let run = try ClientReplayRun(settings, intake)
        intake.offer(run.figures)
        try await withTaskCancellationHandler {
            try await run.serve()
        } onCancel: {
            run.stop()
        }
    }
}

/// The thread and the loop of one run.
private final class ClientReplayRun: Sendable {
    let figures: ReplayFigures
    private let settings: ClientReplaySettings
    private let intake: any Intake
    private let group: EventLoopGroup
    private let buffer = RequestBuffer()
    private let tokens = FoundTokens()
    private let reading = QueryProgress()
    private let worker = Mutex<Box?>(nil)

    /// A worker, used only on its loop's thread.
    private struct Box: @unchecked Sendable { let worker: ClientReplayWorker }

    init(_ settings: ClientReplaySettings, _ intake: any Intake) throws {
        self.settings = settings
        self.intake = intake
        var options = EventLoopOptions()
        options.timerGranule = Microseconds(1000)
        group = try EventLoopGroup(threads: 1, options)
        figures = ReplayFigures(settings)
    }

    /// Runs until all requests have ended, without blocking a thread of the caller's pool.
    ///
    /// - Throws: Why the recordings could not be read, that the generator fell behind, or that no
    ///   request was answered.
    func serve() async throws {
        try await group.serve { [self] loop, _ in try begin(on: loop) }
        let wasStopped = reading.isCancelled
        endReading()
        if let error = buffer.error { throw error }
        let report = figures.report
        if let sentence = report.generatorFailure { throw ReplayFailure(sentence) }
        if !wasStopped, let sentence = report.emptiness { throw ReplayFailure(sentence) }
    }

    private func begin(on loop: EventLoop) throws {
        let worker = try ClientReplayWorker(
            loop,
            settings,
            intake,
            buffer,
            tokens,
            figures,
            arrive: waits ? { [self] in arrive(on: loop) } : nil,
            finished: { [self] in group.drain(within: Microseconds(1_000_000)) }
        )
        self.worker.withLock { $0 = Box(worker: worker) }
        loop.beforeStop { worker.abandon() }
        loop.atEnd { [self] in
            self.worker.withLock { $0 = nil }
            worker.close()
        }
        let reader = RecordingReader(
            settings: settings,
            buffer: buffer,
            tokens: tokens,
            figures: figures,
            log: intake.log,
            progress: reading
        ) { [self] in
            loop.execute { [self] in self.worker.withLock { $0 }?.worker.advance() }
        }
        reader.start("tapline.\(intake.id).read")
    }

    /// Whether the first request still waits once it can be sent.
    private var waits: Bool {
        !settings.isDryRun && (settings.startsTogether || settings.delay > 0)
    }

    /// Begins to send when the other sources of the pipeline can, too.
    private func arrive(on loop: EventLoop) {
        let begin: ReplayStart.Begin = { [self] time in
            loop.execute { [self] in worker.withLock { $0 }?.worker.begin(at: time) }
        }
        guard settings.startsTogether, let start = intake.commonStart else { return begin(nil) }
        start.arrive(intake.id, now: EventLoop.clockNow(), begin)
    }

    private func endReading() {
        buffer.close()
        reading.cancel()
    }

    /// Sends no more requests, and lets those in flight end.
    func stop() {
        endReading()
        guard let loop = group.loops.first else { return }
        let limit = intake.drainTimeout
        loop.execute { [self] in
            guard let worker = worker.withLock({ $0 })?.worker else { return }
            worker.stop()
            let timer = LoopTimer(on: loop) { [self] in group.stop() }
            timer.arm(after: limit)
            loop.atEnd { _ = timer }
        }
    }
}

/// Why a replay failed, as a sentence for people.
struct ReplayFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

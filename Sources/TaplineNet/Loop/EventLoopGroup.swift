// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
public import TaplineModel

/// Event loops, each on a thread of its own.
///
/// **Isolation**: any thread.
public final class EventLoopGroup: Sendable {
    /// The loops.
    public let loops: [EventLoop]

    /// How many processors this process may use.
    public static var availableThreads: Int { max(Int(uv_available_parallelism()), 1) }

    /// Makes the loops; `run` starts their threads.
    ///
    /// - Parameters:
    ///   - threads: How many; nothing makes one for each processor.
    ///   - options: What each is made with.
    /// - Throws: `NetError` where the system has no more descriptors or memory.
    public init(
        threads: Int? = nil,
        _ options: EventLoopOptions = EventLoopOptions()
    ) throws(NetError) {
        var loops: [EventLoop] = []
        for _ in 0..<max(threads ?? Self.availableThreads, 1) {
            loops.append(try EventLoop(options))
        }
        self.loops = loops
    }

    /// Runs the loops until all of them have ended; no thread of the caller's pool is held up.
    ///
    /// Cancellation stops them at once: have the handler of your own cancellation call `drain`
    /// first where connections are to end in peace.
    ///
    /// - Parameter start: Called on each loop's thread first, with the loop and its number; where
    ///   it throws all loops are stopped.
    /// - Throws: The first error of `start`, or `NetError` where no thread could be started.
    public func run(
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void
    ) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.start(start) { continuation.resume(with: $0) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Runs the loops, and returns at once.
    ///
    /// - Parameters:
    ///   - start: As for `run`.
    ///   - finished: Called once all loops have ended, on the thread of the last of them.
    public func start(
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void,
        then finished: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let run = GroupRun(loops, start, finished)
        for index in loops.indices { run.startThread(index) }
    }

    /// Closes everything at once and ends the loops.
    public func stop() { for loop in loops { loop.stop() } }

    /// Closes the listeners, waits until the connections have closed, and ends the loops.
    ///
    /// - Parameter limit: How long to wait; what is still open then is closed.
    public func drain(within limit: Microseconds) {
        for loop in loops { loop.drain(within: limit) }
    }
}

/// The threads of one run; the last that ends says so.
private final class GroupRun: Sendable {
    private struct State {
        var running: Int
        var error: (any Error)?
    }

    private let loops: [EventLoop]
    private let start: @Sendable (EventLoop, Int) throws -> Void
    private let finished: @Sendable (Result<Void, any Error>) -> Void
    private let state: Mutex<State>

    init(
        _ loops: [EventLoop],
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void,
        _ finished: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        self.loops = loops
        self.start = start
        self.finished = finished
        state = Mutex(State(running: loops.count))
    }

    func startThread(_ index: Int) {
        let box = unsafe Unmanaged.passRetained(LoopThread { [self] in runLoop(index) })
        var thread = uv_thread_t()
        let status = unsafe uv_thread_create(&thread, LoopThread.main, box.toOpaque())
        guard status < 0 else {
            tapline_uv_detach_thread(thread)
            return
        }
        unsafe box.release()
        didEnd(NetError(status: status, "start a thread"))
    }

    private func runLoop(_ index: Int) {
        let loop = loops[index]
        loop.enterThread()
        var failure: (any Error)?
        do {
            try start(loop, index)
        } catch {
            failure = error
            for loop in loops { loop.stop() }
        }
        loop.run()
        didEnd(failure)
    }

    private func didEnd(_ error: (any Error)?) {
        let last = state.withLock { state -> State? in
            state.running -= 1
            if state.error == nil { state.error = error }
            return state.running == 0 ? state : nil
        }
        if error != nil { for loop in loops { loop.stop() } }
        guard let last else { return }
        finished(last.error.map { .failure($0) } ?? .success(()))
    }
}

/// What a thread does, as an object that can be handed through C.
private final class LoopThread: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static let main: uv_thread_cb = { argument in
        guard let argument = unsafe argument else { return }
        unsafe Unmanaged<LoopThread>.fromOpaque(argument).takeRetainedValue().body()
    }
}

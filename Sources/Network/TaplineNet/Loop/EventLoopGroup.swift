// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
package import TaplineModel

/// Event loops, each on its own thread.
///
/// **Isolation**: any thread.
package final class EventLoopGroup: Sendable {
    /// The loops.
    package let loops: [EventLoop]

    /// The number of processors that this process may use.
    package static var availableThreads: Int { max(Int(uv_available_parallelism()), 1) }

    /// Makes the loops; `run` starts their threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads; `nil` for one for each processor.
    ///   - options: The options of each loop.
    /// - Throws: `NetError` if the system has no more descriptors or memory.
    package init(
        threads: Int? = nil,
        _ options: EventLoopOptions = EventLoopOptions()
    ) throws(NetError) {
        var loops: [EventLoop] = []
        for _ in 0..<max(threads ?? Self.availableThreads, 1) {
            loops.append(try EventLoop(options))
        }
        self.loops = loops
    }

    /// Runs the loops until all of them have ended and their threads are joined.
    ///
    /// No thread of the caller's pool is blocked. Cancellation stops the loops at once; use `serve`
    /// if connections should end gracefully.
    ///
    /// - Parameter start: Called first on each loop's thread, with the loop and its number. If it
    ///   throws, all loops are stopped.
    /// - Throws: The first error of `start`, or `NetError` if no thread could be started.
    package func run(
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void
    ) async throws {
        try await withTaskCancellationHandler {
            try await serve(start)
        } onCancel: {
            stop()
        }
    }

    /// Runs the loops like `run`, but continues when the task is cancelled, until `stop` or
    /// `drain`.
    ///
    /// - Parameter start: As for `run`.
    /// - Throws: As `run` does.
    package func serve(
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void
    ) async throws {
        let (result, last) = await withCheckedContinuation { continuation in
            let run = GroupRun(loops, start) { continuation.resume(returning: ($0, $1)) }
            for index in loops.indices { run.startThread(index) }
        }
        // It only has to free its memory.
        last?.join()
        try result.get()
    }

    /// Starts the loops and returns at once.
    ///
    /// - Parameters:
    ///   - start: As for `run`.
    ///   - finished: Called once all loops have ended, on the thread of the last one, which is the
    ///     only one that is not joined.
    package func start(
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void,
        then finished: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let run = GroupRun(loops, start) { result, last in
            last?.detach()
            finished(result)
        }
        for index in loops.indices { run.startThread(index) }
    }

    /// Closes everything at once and ends the loops.
    package func stop() { for loop in loops { loop.stop() } }

    /// Closes the listeners, waits until the connections have closed, and ends the loops.
    ///
    /// - Parameter limit: How long to wait; connections that are still open then are closed.
    package func drain(within limit: Microseconds) {
        for loop in loops { loop.drain(within: limit) }
    }
}

/// A thread whose loop has ended, to be joined or detached exactly once.
private struct EndedThread: Sendable {
    private let thread: uv_thread_t

    /// The current thread.
    static var current: EndedThread { EndedThread(thread: uv_thread_self()) }

    /// Waits until the thread has freed its memory, including its thread-local storage.
    func join() {
        var thread = thread
        let status = unsafe uv_thread_join(&thread)
        assert(status == 0, "a thread was joined twice")
    }

    func detach() { tapline_uv_detach_thread(thread) }
}

/// The threads of one run; the last one to end joins the others and reports the end.
private final class GroupRun: Sendable {
    private struct State {
        var running: Int
        var error: (any Error)?
        var ended: [EndedThread] = []
    }

    private let loops: [EventLoop]
    private let start: @Sendable (EventLoop, Int) throws -> Void
    private let finished: @Sendable (Result<Void, any Error>, EndedThread?) -> Void
    private let state: Mutex<State>

    /// Makes a run whose threads are not started yet.
    ///
    /// `finished` is called on the last thread to end. It gets that thread if it is a loop's, `nil`
    /// otherwise.
    init(
        _ loops: [EventLoop],
        _ start: @escaping @Sendable (EventLoop, Int) throws -> Void,
        _ finished: @escaping @Sendable (Result<Void, any Error>, EndedThread?) -> Void
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
        guard status < 0 else { return }
        unsafe box.release()
        didEnd(NetError(status: status, "start a thread"), nil)
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
        didEnd(failure, .current)
    }

    private func didEnd(_ error: (any Error)?, _ thread: EndedThread?) {
        let last = state.withLock { state -> State? in
            state.running -= 1
            if state.error == nil { state.error = error }
            if state.running == 0 { return state }
            if let thread { state.ended.append(thread) }
            return nil
        }
        if error != nil { for loop in loops { loop.stop() } }
        guard let last else { return }
        for thread in last.ended { thread.join() }
        finished(last.error.map { .failure($0) } ?? .success(()), thread)
    }
}

/// The body of a thread, as an object that can be passed through C.
private final class LoopThread: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static let main: uv_thread_cb = { argument in
        guard let argument = unsafe argument else { return }
        unsafe Unmanaged<LoopThread>.fromOpaque(argument).takeRetainedValue().body()
    }
}

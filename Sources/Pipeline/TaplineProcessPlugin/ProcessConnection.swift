// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineJSON
package import TaplineModel
package import TaplinePlugin
package import TaplineSystem

/// A child that several threads call, and the thread that talks with it.
///
/// The first user starts the child, the last one ends it. A child that ends by itself is started
/// again.
///
/// **Isolation**: any thread.
package final class ProcessConnection: Sendable {
    /// Receives the answer to a call, or why there is none; called on the connection's thread.
    package typealias Reply = @Sendable (Result<ChildLine.Answer, ProcessPluginError>) -> Void

    struct Call: Sendable {
        let number: UInt64
        let bytes: [UInt8]
        let reply: Reply
    }

    struct State: ~Copyable {
        var machine: ProcessPluginStateMachine<Call>
        /// What the thread writes next.
        var output: [UInt8] = []
        var hello = ChildHello()
        /// Whether the thread waits, and has to be woken to write.
        var isAsleep = false
        var mayStop = false
        /// Threads that wait for room.
        var callers: [ThreadEvent] = []
    }

    private struct Life: ~Copyable {
        var users = 0
        var thread: DedicatedThread?
    }

    let role: ProcessRole
    let id: String
    let settings: ProcessSettings
    let log: Log
    let receiver: (any ProcessReceiver)?
    let state: Mutex<State>
    let wake: WakeSignal
    private let life = Mutex(Life())
    private let numbers = Atomic<UInt64>(0)

    /// Creates a connection without a child.
    ///
    /// - Parameters:
    ///   - role: What the child does.
    ///   - id: The id of the component.
    ///   - settings: The command and the limits.
    ///   - log: The log of the component.
    ///   - receiver: Receives the exchanges of a source.
    /// - Throws: `FileError` if no descriptor is left.
    package init(
        _ role: ProcessRole,
        id: String,
        _ settings: ProcessSettings,
        log: Log,
        receiver: (any ProcessReceiver)? = nil
    ) throws(FileError) {
        self.role = role
        self.id = id
        self.settings = settings
        self.log = log
        self.receiver = receiver
        wake = try WakeSignal()
        state = Mutex(
            State(machine: ProcessPluginStateMachine(settings.machineLimits(for: Call.self)))
        )
    }

    /// How the present child has introduced itself.
    package var hello: ChildHello { state.withLock { $0.hello } }

    // MARK: Life

    /// Counts a user; the first one starts the child and waits for its hello.
    ///
    /// - Throws: `ProcessPluginError` if the child cannot be started, or does not say hello.
    package func open() throws {
        try life.withLock { life in
            if life.users == 0 { life.thread = try start() }
            life.users += 1
        }
    }

    /// Counts down the users; the last one ends the child and waits for it.
    package func close() {
        life.withLock { life in
            guard life.users > 0 else { return }
            life.users -= 1
            guard life.users == 0 else { return }
            stop()
            life.thread.take()?.join()
        }
    }

    private func start() throws -> DedicatedThread {
        let first = FirstHello()
        state.withLock { state in
            state.mayStop = false
            state.output = []
        }
        let thread = try DedicatedThread.start { [self] in ProcessThread(self, first).run() }
        if let error = first.wait() {
            thread.join()
            throw error
        }
        return thread
    }

    /// Asks the thread to end the child; calls that were not sent fail.
    package func stop() {
        let now = SteadyClock.microseconds
        let lost = state.withLock { state in
            state.mayStop = true
            return state.machine.stopping(now)
        }
        wake.give()
        for call in lost { call.reply(.failure(ProcessPluginError("the plugin was stopped"))) }
    }

    // MARK: Calls

    /// A number for the next call.
    package func number() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Calls the child.
    ///
    /// - Parameters:
    ///   - number: A new number, which the bytes contain.
    ///   - bytes: The lines of the call.
    ///   - mayWait: Whether to block the thread while too many calls wait.
    ///   - needsChild: Whether the call fails at once while no child runs.
    ///   - reply: Called once, unless this throws.
    /// - Throws: `ProcessPluginError` if the call is not accepted.
    package func call(
        _ number: UInt64,
        _ bytes: [UInt8],
        mayWait: Bool,
        needsChild: Bool = false,
        reply: @escaping Reply
    ) throws(ProcessPluginError) {
        let call = Call(number: number, bytes: bytes, reply: reply)
        while true {
            let now = SteadyClock.microseconds
            let room = mayWait ? ThreadEvent() : nil
            var needsWake = false
            let admission = state.withLock { state in
                let limit = mayWait ? settings.limits.window : nil
                let admission = state.machine.called(
                    number,
                    call,
                    atMost: limit,
                    needsChild: needsChild,
                    now
                )
                if admission == .accepted {
                    Self.fill(&state, now)
                    // Also if nothing is sent now: the call's deadline may be the next one.
                    needsWake = state.isAsleep
                    state.isAsleep = false
                } else if admission == .full, let room {
                    state.callers.append(room)
                }
                return admission
            }
            switch admission {
            case .accepted:
                if needsWake { wake.give() }
                return
            case .stopped: throw ProcessPluginError("the plugin was stopped")
            case .absent: throw ProcessPluginError("the plugin is not running")
            case .full:
                guard let room else { throw ProcessPluginError("too many calls wait") }
                room.wait()
            }
        }
    }

    /// Calls the child and waits for the answer.
    ///
    /// - Parameters:
    ///   - number: A new number, which the bytes contain.
    ///   - bytes: The lines of the call.
    ///   - needsChild: Whether the call fails at once while no child runs.
    /// - Returns: The answer.
    /// - Throws: `ProcessPluginError` if there is none.
    package func ask(
        _ number: UInt64,
        _ bytes: [UInt8],
        needsChild: Bool = false
    ) throws(ProcessPluginError) -> ChildLine.Answer {
        let box = ReplyBox()
        try call(number, bytes, mayWait: true, needsChild: needsChild) { box.settle($0) }
        return try box.wait().get()
    }

    /// Moves calls to the output as far as the window permits.
    static func fill(_ state: inout State, _ now: Int64) {
        while let call = state.machine.next(now) { state.output += call.bytes }
    }

    /// Wakes threads that wait for room; they try again.
    func wakeCallers() {
        let callers = state.withLock { state -> [ThreadEvent] in
            guard !state.callers.isEmpty,
                state.machine.waitingCount <= settings.limits.window / 2
                    || state.machine.isStopped || state.mayStop
            else { return [] }
            let callers = state.callers
            state.callers = []
            return callers
        }
        for caller in callers { caller.signal() }
    }
}

/// Receives the exchanges of a source, on the connection's thread.
package protocol ProcessReceiver: Sendable {
    /// Takes an exchange.
    func receive(_ exchange: consuming Exchange)
    /// Counts a line that was of no use.
    func rejected()
    /// The exchanges received so far can be passed on; may block until there is room.
    ///
    /// - Returns: `false` if no more are wanted.
    func pause() -> Bool
    /// No more exchanges come; with why, unless the input has ended.
    func ended(_ error: ProcessPluginError?)
}

/// The outcome of the first start, which a user waits for.
final class FirstHello: Sendable {
    private let state = Mutex<(isKnown: Bool, error: ProcessPluginError?)>((false, nil))
    private let event = ThreadEvent()

    func settle(_ error: ProcessPluginError?) {
        state.withLock { if !$0.isKnown { $0 = (true, error) } }
        event.signal()
    }

    var isSettled: Bool { state.withLock { $0.isKnown } }

    func wait() -> ProcessPluginError? {
        event.wait()
        return state.withLock { $0.error }
    }
}

/// An answer that a thread waits for.
private final class ReplyBox: Sendable {
    private let reply = Mutex<Result<ChildLine.Answer, ProcessPluginError>?>(nil)
    private let event = ThreadEvent()

    func settle(_ answer: Result<ChildLine.Answer, ProcessPluginError>) {
        reply.withLock { $0 = answer }
        event.signal()
    }

    func wait() -> Result<ChildLine.Answer, ProcessPluginError> {
        event.wait()
        return reply.withLock { $0 } ?? .failure(ProcessPluginError("no answer"))
    }
}

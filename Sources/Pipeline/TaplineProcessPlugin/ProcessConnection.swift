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
    /// Receives the answer to a call, or why there is none; called on any thread.
    package typealias Reply = @Sendable (Result<ChildLine.Answer, ProcessPluginError>) -> Void

    struct Call: Sendable {
        let number: UInt64
        let bytes: [UInt8]
        let reply: Reply
    }

    struct State: ~Copyable {
        var machine: ProcessPluginStateMachine<Call>
        /// Which thread reads what the child writes.
        var readers = AnswerReaders<WaitingCaller, ChildOutput>()
        /// What the thread writes next.
        var output: [UInt8] = []
        var hello = ChildHello()
        /// Whether the thread waits with nothing left to write, and has to be woken to write.
        var isAsleep = false
        /// When it wakes by itself.
        var wakesAt: Int64 = 0
        /// The input of the child; `nil` if none runs.
        var input: BidirectionalProcess.Input?
        var mayStop = false
        /// Threads that wait for room.
        var callers: [ThreadEvent] = []

        /// Returns whether the thread has to be woken for a call that is due at a time.
        ///
        /// If the caller waits for the answer, it writes the call itself if it can, since the answer
        /// comes sooner without another thread in between.
        mutating func wakes(forCallDueAt deadline: Int64, isAwaited: Bool) -> Bool {
            guard isAsleep else { return false }
            if deadline >= wakesAt {
                if output.isEmpty { return false }
                if isAwaited, let input, output.count <= 65_536 {
                    let count = input.write(output.span)
                    output.removeFirst(count)
                    if output.isEmpty { return false }
                }
            }
            isAsleep = false
            return true
        }

        /// Decides who reads the answer to a call; returns whether the thread has to be woken for it.
        mutating func chooseReader(_ number: UInt64, _ caller: WaitingCaller?) -> Bool {
            guard let caller else { return readers.calledUnawaited() }
            if let output = readers.called(number, caller) { caller.read(output) }
            return false
        }
    }

    private struct Life: ~Copyable {
        var users = 0
        /// The thread, until the last user has taken it to wait for its end.
        var thread: DedicatedThread?
        /// The end of the last thread's work.
        var ended: ThreadEvent?
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
    private let problems = Atomic<Int>(0)

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
            State(
                machine: ProcessPluginStateMachine(settings.machineLimits(for: Call.self)),
                readers: AnswerReaders(onlyThread: role == .source)
            )
        )
    }

    /// How the present child has introduced itself.
    package var hello: ChildHello { state.withLock { $0.hello } }

    // MARK: Life

    /// Counts a user; the first one starts the child and waits for its hello, after the end of a
    /// child that former users have left.
    ///
    /// - Throws: `ProcessPluginError` if the child cannot be started, or does not say hello.
    package func open() throws {
        try life.withLock { life in
            if life.users == 0 {
                life.ended?.wait()
                let ended = ThreadEvent()
                life.thread = try start(ended)
                life.ended = ended
            }
            life.users += 1
        }
    }

    /// Counts down the users; the last one ends the child, which takes at most `stop_timeout`.
    ///
    /// - Parameter ending: Takes the thread that waits for the child; without it, the call waits.
    package func close(leavingTo ending: EndingThreads? = nil) {
        let thread = life.withLock { life -> DedicatedThread? in
            guard life.users > 0 else { return nil }
            life.users -= 1
            guard life.users == 0 else { return nil }
            stop()
            return life.thread.take()
        }
        guard let thread else { return }
        if let ending { ending.add(thread) } else { thread.join() }
    }

    private func start(_ ended: ThreadEvent) throws -> DedicatedThread {
        let first = FirstHello()
        state.withLock { state in
            state.mayStop = false
            state.output = []
        }
        let thread = try DedicatedThread.start { [self] in
            ProcessThread(self, first).run()
            ended.signal()
        }
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
    ///   - deadline: Until when it may be blocked.
    ///   - needsChild: Whether the call fails at once while no child runs.
    ///   - reply: Called once, unless this throws.
    /// - Throws: `ProcessPluginError` if the call is not accepted.
    package func call(
        _ number: UInt64,
        _ bytes: [UInt8],
        mayWait: Bool,
        until deadline: StopDeadline? = nil,
        needsChild: Bool = false,
        reply: @escaping Reply
    ) throws(ProcessPluginError) {
        let call = Call(number: number, bytes: bytes, reply: reply)
        try make(call, by: nil, mayWait: mayWait, until: deadline, needsChild: needsChild)
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - call: The call, with a new number.
    ///   - caller: The present thread, if it waits for the reply.
    ///   - mayWait: Whether to block the thread while too many calls wait.
    ///   - deadline: Until when it may be blocked.
    ///   - needsChild: Whether the call fails at once while no child runs.
    /// - Throws: `ProcessPluginError` if the call is not accepted.
    private func make(
        _ call: Call,
        by caller: WaitingCaller?,
        mayWait: Bool,
        until deadline: StopDeadline?,
        needsChild: Bool
    ) throws(ProcessPluginError) {
        while true {
            let now = SteadyClock.microseconds
            var room: ThreadEvent?
            var needsWake = false
            let admission = state.withLock { state in
                let limit = mayWait ? settings.limits.window : nil
                let admission = state.machine.called(
                    call.number,
                    call,
                    atMost: limit,
                    needsChild: needsChild,
                    now
                )
                if admission == .accepted {
                    Self.fill(&state, now)
                    let deadline = now + settings.limits.times.timeout
                    needsWake = state.wakes(
                        forCallDueAt: deadline,
                        isAwaited: caller != nil
                    )
                    if state.chooseReader(call.number, caller) { needsWake = true }
                } else if admission == .full, mayWait {
                    let event = ThreadEvent()
                    state.callers.append(event)
                    room = event
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
                guard let room, wait(for: room, until: deadline) else {
                    throw ProcessPluginError("too many calls wait")
                }
            }
        }
    }

    /// Waits for room; returns whether there may be some.
    private func wait(for room: ThreadEvent, until deadline: StopDeadline?) -> Bool {
        if let deadline { return deadline.wait(for: room) }
        room.wait()
        return true
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
        let caller = WaitingCaller()
        let call = Call(number: number, bytes: bytes) { caller.settle($0) }
        try make(call, by: caller, mayWait: true, until: nil, needsChild: needsChild)
        let answer = answer(to: number, caller)
        state.withLock { state in
            if let next = state.readers.left(number) { next.caller.read(next.output) }
        }
        return try answer.get()
    }

    /// Waits for the answer to a call, and reads the output of the child if no other thread does.
    private func answer(to number: UInt64, _ caller: WaitingCaller) -> WaitingCaller.Answer {
        while true {
            switch caller.next() {
            case .done(let answer): return answer
            case .read(let output):
                output.stream.wait()
                let found = output.read()
                let own = found.deliver(exceptTo: number)
                wakeCallers()
                if found.end != nil {
                    // The connection's thread ends the child.
                    caller.stopReading(output)
                    wake.give()
                }
                if let own { return own }
            }
        }
    }

    /// Logs a problem with a line; after the first few, only each power of two.
    func problem(_ line: Int, _ message: String) {
        let number = problems.wrappingAdd(1, ordering: .relaxed).newValue
        guard number <= 10 || number.nonzeroBitCount == 1 else { return }
        let count = number > 10 ? " (\(number) problems so far)" : ""
        log.error("output line \(line) of the plugin: \(message)\(count)")
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
    /// Counts an unusable line.
    func rejected()
    /// The exchanges received so far can be passed on; may block until there is room.
    ///
    /// - Returns: `false` if no more are wanted.
    func pause() -> Bool
    /// No more exchanges come; the error says why, unless the input has ended.
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

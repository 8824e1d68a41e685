// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
package import TaplineModel

/// The options of a loop.
package struct EventLoopOptions: Sendable {
    /// The maximum size of one read; all connections of the loop share this buffer.
    package var readBufferBytes = 65_536
    /// The size of the chunks for output.
    package var outputChunkBytes = 16_384
    /// How much memory for output is kept for reuse.
    package var pooledOutputBytes = 4 << 20
    /// The precision of timers.
    package var timerGranule = Microseconds(10_000)

    /// The defaults.
    package init() {}
}

/// An event loop of one thread: sockets, timers, and tasks from other threads.
///
/// **Isolation**: `execute`, `stop` and `drain` on any thread. Everything else on the thread that
/// is in `run`, or before `run` on the thread that made the loop. Debug builds check that.
@safe
package final class EventLoop: @unchecked Sendable {
    // Unchecked, since all state except the inbox belongs to one thread, which `assertIsCurrent`
    // checks.

    let core: UnsafeMutablePointer<tapline_uv_core>
    let options: EventLoopOptions
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt64>(tapline_uv_this_thread())

    private var clock: Int64 = 0
    private var wheel: TimerWheel
    private var timers = unsafe [Unmanaged<LoopTimer>?]()
    private var timerWake: Int64 = .max
    /// The head of the list of connections that have something to send.
    private var unflushed: TCPConnection?
    private var deferred: [() -> Void] = []
    private var isShut = false
    private var drainTimer: LoopTimer?

    /// The open resources of the loop, which it keeps alive until they have closed.
    private var resources: [ObjectIdentifier: any LoopResource] = [:]
    /// The pool for output.
    let chunks: ChunkPool
    /// The buffers that layers borrow for a call.
    var spares = SpareBuffers()

    /// Whether the loop is draining; servers should then close connections as they become idle.
    package private(set) var isDraining = false

    /// Called with the descriptor limit when a connection gets the last file descriptor of the
    /// process, or none.
    ///
    /// A connection that arrives later is dropped without a callback.
    package var descriptorsEnded: ((_ limit: Int) -> Void)?

    private var endActions: [() -> Void] = []
    private var stopActions: [() -> Void] = []

    /// The number of connections and listeners that are open or still closing.
    package var openResources: Int {
        assertIsCurrent()
        return resources.count
    }

    private struct Inbox {
        var tasks: [@Sendable () -> Void] = []
        var isOpen = true
    }

    /// Makes a loop that does not run yet.
    ///
    /// **Throws**: `NetError` if the system has no more descriptors or memory.
    package init(_ options: EventLoopOptions = EventLoopOptions()) throws(NetError) {
        self.options = options
        chunks = ChunkPool(
            chunkBytes: options.outputChunkBytes,
            pooledBytes: options.pooledOutputBytes
        )
        let granule = max(options.timerGranule.count, 1000)
        wheel = TimerWheel(granule: granule, slots: 1024, now: Self.clockNow())
        unsafe core = try Self.openCore(readBufferBytes: options.readBufferBytes)
        unsafe tapline_uv_core_own(core, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func openCore(
        readBufferBytes: Int
    ) throws(NetError) -> UnsafeMutablePointer<tapline_uv_core> {
        let core = UnsafeMutablePointer<tapline_uv_core>.allocate(capacity: 1)
        let size = min(max(readBufferBytes, 1024), 1 << 24)
        let status = unsafe tapline_uv_core_open(core, size, onWake, onPrepare)
        guard status >= 0 else {
            unsafe core.deallocate()
            throw NetError(status: status, "start an event loop")
        }
        return unsafe core
    }

    deinit {
        // A loop that never ran still has its own handles open.
        if !isShut { unsafe tapline_uv_core_shut(core) }
        unsafe uv_run(&core.pointee.loop, UV_RUN_DEFAULT)
        let status = unsafe tapline_uv_core_free(core)
        assert(status == 0, "a handle was still open")
        if status == 0 { unsafe core.deallocate() }
    }

    // MARK: Running

    /// Handles events until `stop` was called and everything has closed.
    ///
    /// A loop can run only once.
    package func run() {
        enterThread()
        unsafe uv_run(&core.pointee.loop, UV_RUN_DEFAULT)
        // Deferred work would create a reference cycle with the loop once it is stopped.
        while let connection = unflushed { unflushed = connection.nextUnflushed.take() }
        deferred = []
        let actions = endActions
        endActions = []
        for action in actions { action() }
        thread.store(0, ordering: .relaxed)
    }

    /// Adds an action for the loop's thread, called when the loop has ended and everything is
    /// closed.
    package func atEnd(_ action: @escaping () -> Void) {
        assertIsCurrent()
        endActions.append(action)
    }

    /// Adds an action for the loop's thread, called before the loop closes its resources.
    package func beforeStop(_ action: @escaping () -> Void) {
        assertIsCurrent()
        stopActions.append(action)
    }

    /// Makes the current thread the loop's thread; `run` does so too.
    func enterThread() {
        thread.store(tapline_uv_this_thread(), ordering: .relaxed)
        tapline_uv_enter_thread()
    }

    /// Closes everything at once and ends the loop.
    package func stop() { execute { self.shut() } }

    /// Closes the listeners, waits until the connections have closed, and ends the loop.
    ///
    /// - Parameter limit: How long to wait; connections that are still open then are closed.
    package func drain(within limit: Microseconds) { execute { self.startDraining(limit) } }

    /// Runs a task on the loop soon, in the order of the calls of each thread.
    ///
    /// - Returns: False if the loop has ended or is about to, so that the task is not run.
    @discardableResult
    package func execute(_ task: @escaping @Sendable () -> Void) -> Bool {
        inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.tasks.append(task)
            // Within the lock, so that the handle cannot be closed at the same time.
            if inbox.tasks.count == 1 { unsafe uv_async_send(&core.pointee.wake) }
            return true
        }
    }

    /// Whether the current thread is the loop's.
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == tapline_uv_this_thread()
    }

    /// Traps in debug builds if the current thread is not the loop's.
    ///
    /// A loop that has ended has no thread.
    @inline(__always)
    func assertIsCurrent() {
        assert(
            isCurrent || thread.load(ordering: .relaxed) == 0,
            "called on a thread that is not the loop's"
        )
    }

    private func takeTasks() {
        let tasks = inbox.withLock { inbox in
            let tasks = inbox.tasks
            inbox.tasks = []
            return tasks
        }
        for task in tasks { task() }
    }

    private func startDraining(_ limit: Microseconds) {
        guard !isDraining, !isShut else { return }
        isDraining = true
        for resource in resources.values { resource.loopDrains() }
        if resources.isEmpty { return shut() }
        let timer = LoopTimer(on: self) { [unowned self] in shut() }
        timer.arm(after: limit)
        drainTimer = timer
    }

    private func shut() {
        guard !isShut else { return }
        isDraining = true
        isShut = true
        drainTimer = nil
        let late = inbox.withLock { inbox in
            inbox.isOpen = false
            let tasks = inbox.tasks
            inbox.tasks = []
            return tasks
        }
        for task in late { task() }
        let actions = stopActions
        stopActions = []
        for action in actions { action() }
        // Deferred work fails now, since nothing can be opened.
        let tasks = deferred
        deferred = []
        for task in tasks { task() }
        for resource in resources.values { resource.loopStops() }
        unsafe tapline_uv_core_shut(core)
    }

    // MARK: Time

    /// Microseconds of the monotonic clock, read at most once per batch of events.
    package var now: Int64 {
        if clock == 0 { clock = Self.clockNow() }
        return clock
    }

    /// Reads the monotonic clock now, in microseconds.
    package func freshNow() -> Int64 {
        clock = Self.clockNow()
        return clock
    }

    /// Reads the monotonic clock now, in microseconds; `now` does not change.
    package static func clockNow() -> Int64 {
        Int64(truncatingIfNeeded: uv_hrtime() / 1000)
    }

    func insertTimer() -> TimerWheel.ID {
        assertIsCurrent()
        let id = wheel.insert()
        if unsafe Int(id) == timers.count { unsafe timers.append(nil) }
        return id
    }

    func own(_ timer: LoopTimer, as id: TimerWheel.ID) {
        unsafe timers[Int(id)] = Unmanaged.passUnretained(timer)
    }

    func removeTimer(_ id: TimerWheel.ID) {
        assertIsCurrent()
        unsafe timers[Int(id)] = nil
        wheel.remove(id)
    }

    func armTimer(_ id: TimerWheel.ID, at deadline: Int64) {
        assertIsCurrent()
        wheel.arm(id, at: deadline)
    }

    func cancelTimer(_ id: TimerWheel.ID) {
        assertIsCurrent()
        wheel.cancel(id)
    }

    func isTimerArmed(_ id: TimerWheel.ID) -> Bool { wheel.isArmed(id) }

    private func fireTimers() {
        timerWake = .max
        wheel.advance(to: freshNow())
        while let id = wheel.next() {
            if let timer = unsafe timers[Int(id)]?.takeUnretainedValue() { timer.fire() }
        }
    }

    /// Makes libuv wake the loop for the first timer, unless it already does.
    private func scheduleTimers() {
        guard !isShut, let wake = wheel.nextWake, wake < timerWake else { return }
        timerWake = wake
        let wait = max(wake - Self.clockNow(), 0)
        // Rounded up to whole milliseconds, after updating libuv's own clock, which may be a little
        // late.
        unsafe uv_update_time(&core.pointee.loop)
        unsafe uv_timer_start(
            &core.pointee.timer,
            EventLoop.onTimer,
            UInt64((wait + 999) / 1000),
            0
        )
    }

    // MARK: Output

    /// Returns an empty array for output, usually with capacity; return it with `giveBack`.
    package func takeSpare() -> [UInt8] { spares.take() }

    /// Takes an array of `takeSpare` back; the caller has to `consume` it.
    package func giveBack(spare: consuming [UInt8]) { spares.giveBack(spare) }

    /// Makes a connection flush its output before the loop waits for events again.
    ///
    /// The connections form a linked list, the last one first: appending to an array would add an
    /// exclusivity check.
    func flushLater(_ connection: TCPConnection) {
        connection.nextUnflushed = unflushed.take()
        unflushed = connection
    }

    /// Runs a task after the current batch of events.
    package func afterThisEvent(_ task: @escaping () -> Void) {
        assertIsCurrent()
        deferred.append(task)
    }

    /// Called right before the loop waits.
    private func prepare() {
        if !deferred.isEmpty {
            let tasks = deferred
            deferred = []
            for task in tasks { task() }
        }
        var next = unflushed.take()
        while let connection = next {
            next = connection.nextUnflushed.take()
            connection.flush()
        }
        if !isShut {
            // A callback for available space may have written.
            unsafe tapline_uv_core_set_busy(core, unflushed == nil && deferred.isEmpty ? 0 : 1)
            scheduleTimers()
        }
        clock = 0
    }

    // MARK: Resources

    func register(_ resource: any LoopResource) {
        assertIsCurrent()
        resources[ObjectIdentifier(resource)] = resource
    }

    func unregister(_ resource: any LoopResource) {
        assertIsCurrent()
        resources[ObjectIdentifier(resource)] = nil
        if isDraining, resources.isEmpty, !isShut { shut() }
    }

    /// Handles that a connection has got a descriptor, or none.
    func noteDescriptor(_ descriptor: Int32?) {
        guard let descriptorsEnded else { return }
        let limit = tapline_uv_descriptor_limit()
        // The kernel assigns the lowest free descriptor.
        if limit > 0, descriptor.map({ Int($0) + 1 >= limit }) ?? true { descriptorsEnded(limit) }
    }

    /// Whether the loop has stopped, so that nothing new may be opened.
    package var isStopped: Bool { isShut }
}

/// A resource that the loop keeps alive, and closes when it ends.
protocol LoopResource: AnyObject {
    /// Called when the loop starts draining: it ends once no resource is open.
    func loopDrains()
    /// Called when the loop ends: close now.
    func loopStops()
}

// MARK: - Callbacks

extension EventLoop {
    private static let onWake: uv_async_cb = { handle in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().takeTasks()
    }

    private static let onPrepare: uv_prepare_cb = { handle in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().prepare()
    }

    private static let onTimer: uv_timer_cb = { handle in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().fireTimers()
    }
}

// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
public import TaplineModel

/// What a loop is made with.
public struct EventLoopOptions: Sendable {
    /// How much one read takes at most; all connections of the loop share this buffer.
    public var readBufferBytes = 65_536
    /// The size of the pieces in which output is gathered.
    public var outputChunkBytes = 16_384
    /// How much memory for output is kept for the next use.
    public var pooledOutputBytes = 4 << 20
    /// How exact timers are.
    public var timerGranule = Microseconds(10_000)

    /// The defaults.
    public init() {}
}

/// One thread's events: sockets, timers, and what other threads send it.
///
/// **Isolation**: `execute`, `stop` and `drain` from any thread, everything else on the thread that
/// is in `run`, or before `run` on the thread that made it. Debug builds check that.
@safe
public final class EventLoop: @unchecked Sendable {
    // Unchecked, since all state but the inbox belongs to one thread; `assertIsCurrent` holds it.

    let core: UnsafeMutablePointer<tapline_uv_core>
    let options: EventLoopOptions
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt64>(tapline_uv_this_thread())

    private var clock: Int64 = 0
    private var wheel: TimerWheel
    private var timers = unsafe [Unmanaged<LoopTimer>?]()
    private var timerWake: Int64 = .max
    /// The first of a list of those that have something to send.
    private var unflushed: TCPConnection?
    private var deferred: [() -> Void] = []
    private var isShut = false
    private var drainTimer: LoopTimer?

    /// Everything that is open on the loop; it keeps them alive until they have closed.
    private var resources: [ObjectIdentifier: any LoopResource] = [:]
    /// The memory in which output is gathered.
    let chunks: ChunkPool
    /// The memory that layers borrow for a call.
    var spares = SpareBuffers()

    /// Whether the loop is on its way to its end: whoever serves requests should close connections
    /// as they become idle.
    public private(set) var isDraining = false

    /// Told, whenever a connection has got the last file descriptor that the process may have, or has
    /// got none, how many that are; a connection that comes in then is dropped, and nobody is told.
    public var descriptorsEnded: ((_ limit: Int) -> Void)?

    private var endActions: [() -> Void] = []
    private var stopActions: [() -> Void] = []

    /// How many connections and listeners are open or still closing.
    public var openResources: Int {
        assertIsCurrent()
        return resources.count
    }

    private struct Inbox {
        var tasks: [@Sendable () -> Void] = []
        var isOpen = true
    }

    /// A loop that does not run yet.
    ///
    /// **Throws**: where the system has no more descriptors or memory.
    public init(_ options: EventLoopOptions = EventLoopOptions()) throws(NetError) {
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
    /// A loop runs once.
    public func run() {
        enterThread()
        unsafe uv_run(&core.pointee.loop, UV_RUN_DEFAULT)
        // What was put off when the loop was stopped would hold the loop, which holds it.
        while let connection = unflushed { unflushed = connection.nextUnflushed.take() }
        deferred = []
        let actions = endActions
        endActions = []
        for action in actions { action() }
        thread.store(0, ordering: .relaxed)
    }

    /// Has something done on the loop's thread when the loop has ended, everything closed.
    public func atEnd(_ action: @escaping () -> Void) {
        assertIsCurrent()
        endActions.append(action)
    }

    /// Has something done on the loop's thread when the loop stops, before it closes what is open.
    public func beforeStop(_ action: @escaping () -> Void) {
        assertIsCurrent()
        stopActions.append(action)
    }

    /// Makes the caller's thread the loop's; `run` does it too.
    func enterThread() {
        thread.store(tapline_uv_this_thread(), ordering: .relaxed)
        tapline_uv_enter_thread()
    }

    /// Closes everything at once and ends the loop.
    public func stop() { execute { self.shut() } }

    /// Closes the listeners, waits until the connections have closed, and ends the loop.
    ///
    /// - Parameter limit: How long to wait; what is still open then is closed.
    public func drain(within limit: Microseconds) { execute { self.startDraining(limit) } }

    /// Has the loop do something soon, in the order of the calls of one thread.
    ///
    /// - Returns: False where the loop has ended or is about to, so that it will not be done.
    @discardableResult
    public func execute(_ task: @escaping @Sendable () -> Void) -> Bool {
        inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.tasks.append(task)
            // Within the lock, so that the handle cannot be closed meanwhile.
            if inbox.tasks.count == 1 { unsafe uv_async_send(&core.pointee.wake) }
            return true
        }
    }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == tapline_uv_this_thread()
    }

    /// Ends debug builds where the caller is on another thread; a loop that has ended has none.
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
        // What was put off fails now, since nothing can be opened any more.
        let tasks = deferred
        deferred = []
        for task in tasks { task() }
        for resource in resources.values { resource.loopStops() }
        unsafe tapline_uv_core_shut(core)
    }

    // MARK: Time

    /// Microseconds of the monotonic clock, read at most once while one batch of events is handled.
    public var now: Int64 {
        if clock == 0 { clock = Self.clockNow() }
        return clock
    }

    /// Microseconds of the monotonic clock, read now.
    public func freshNow() -> Int64 {
        clock = Self.clockNow()
        return clock
    }

    /// Microseconds of the monotonic clock, read now; `now` stays what it is.
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

    /// Has libuv wake the loop for the first timer, unless it does so already.
    private func scheduleTimers() {
        guard !isShut, let wake = wheel.nextWake, wake < timerWake else { return }
        timerWake = wake
        let wait = max(wake - Self.clockNow(), 0)
        // Rounded up to whole milliseconds, after libuv's own clock, which may be a little late.
        unsafe uv_update_time(&core.pointee.loop)
        unsafe uv_timer_start(
            &core.pointee.timer,
            EventLoop.onTimer,
            UInt64((wait + 999) / 1000),
            0
        )
    }

    // MARK: Output

    /// Has a connection flush its output before the loop waits for events again.
    ///
    /// A list through the connections, the last one first: to append to an array would be checked for
    /// exclusivity.
    func flushLater(_ connection: TCPConnection) {
        connection.nextUnflushed = unflushed.take()
        unflushed = connection
    }

    /// Does something once the events at hand are handled.
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
            // Who was told that there is room again may have written.
            unsafe tapline_uv_core_hurry(core, unflushed == nil && deferred.isEmpty ? 0 : 1)
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

    /// A connection has got a descriptor, or none.
    func noteDescriptor(_ descriptor: Int32?) {
        guard let descriptorsEnded else { return }
        let limit = tapline_uv_descriptor_limit()
        // The lowest one that is free is given out.
        if limit > 0, descriptor.map({ Int($0) + 1 >= limit }) ?? true { descriptorsEnded(limit) }
    }

    /// Whether nothing new may be opened.
    public var isStopped: Bool { isShut }
}

/// What a loop keeps alive, and closes when it ends.
protocol LoopResource: AnyObject {
    /// The loop ends as soon as nothing is open any more.
    func loopDrains()
    /// The loop ends: close now.
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

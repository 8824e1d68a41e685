// SPDX-License-Identifier: MIT

internal import CAres
internal import CUV
internal import TaplineModel

/// A c-ares channel on a loop: its sockets and its timeouts.
///
/// c-ares can only cancel all queries of a channel at once, so the resolver uses one channel for
/// each lookup, up to a limit.
///
/// **Isolation**: the loop's thread.
/// **Source**: ares_init_options(3), ares_process_fd(3), ares_cancel(3).
@safe
final class CAresChannel: LoopResource {
    /// How long lookups may continue after the loop begins to drain.
    static let grace = Microseconds(1_000_000)

    private let loop: EventLoop
    private let isIdle: (CAresChannel) -> Void
    private var channel: OpaquePointer?
    private var sockets: [Int32: SocketWatch] = [:]
    private var lookups: [NameLookup] = []
    private var timer: LoopTimer?
    private var graceTimer: LoopTimer?

    /// c-ares is initialised once per process, on one thread.
    private static let libraryStatus = ares_library_init(Int32(ARES_LIB_INIT_ALL))

    /// Opens a channel; `isIdle` is called when its last lookup has ended.
    init(
        on loop: EventLoop,
        _ settings: ResolverSettings,
        _ isIdle: @escaping (CAresChannel) -> Void
    ) throws(NetError) {
        self.loop = loop
        self.isIdle = isIdle
        var status = Self.libraryStatus
        if status == ARES_SUCCESS { status = open(settings) }
        guard status == ARES_SUCCESS else {
            throw NetError(
                status == ARES_ENOMEM ? .exhausted : .dns,
                "cannot look up names; \(unsafe String(cString: ares_strerror(status)).lowercased())"
            )
        }
        timer = LoopTimer(on: loop) { [unowned self] in process(-1, false, false) }
    }

    private func open(_ settings: ResolverSettings) -> Int32 {
        var setup = unsafe tapline_ares_setup()
        unsafe setup.timeout = Int32(clamping: settings.firstTimeout.count / 1000)
        unsafe setup.tries = Int32(clamping: settings.tries)
        unsafe setup.owner = Unmanaged.passUnretained(self).toOpaque()
        unsafe setup.changed = Self.onChange
        return unsafe withCString(settings.file) { file in
            unsafe withCString(settings.servers) { servers in
                unsafe setup.settings = file
                unsafe setup.servers = servers
                return unsafe tapline_ares_open(&channel, setup)
            }
        }
    }

    private func withCString(
        _ text: String?,
        _ body: (UnsafePointer<CChar>?) -> Int32
    ) -> Int32 {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }

    deinit { assert(unsafe channel == nil, "a channel was not closed") }

    /// The number of lookups in progress.
    var load: Int { lookups.count }

    /// Starts a lookup.
    func begin(_ lookup: NameLookup) {
        guard let channel = unsafe channel else {
            return lookup.end(.failure(NetError(.closed, "the event loop has ended")))
        }
        if lookups.isEmpty {
            loop.register(self)
            if loop.isDraining { loopDrains() }
        }
        lookups.append(lookup)
        let argument = unsafe Unmanaged.passRetained(lookup).toOpaque()
        unsafe tapline_ares_look_up(channel, lookup.name, Self.onAnswer, argument)
        arm()
    }

    /// Removes a lookup that has been answered or abandoned.
    ///
    /// The remaining work of c-ares for abandoned lookups ends with the last lookup.
    func end(_ lookup: NameLookup) {
        guard let index = lookups.firstIndex(where: { $0 === lookup }) else { return }
        lookups.remove(at: index)
        guard lookups.isEmpty else { return }
        if let channel = unsafe channel { unsafe ares_cancel(channel) }
        timer?.cancel()
        graceTimer = nil
        isIdle(self)
        loop.unregister(self)
    }

    /// Abandons all lookups and closes the channel; no new lookup can begin.
    func close() {
        guard let channel = unsafe channel else { return }
        unsafe self.channel = nil
        timer?.cancel()
        unsafe ares_destroy(channel)
        for socket in sockets.values { socket.close() }
        sockets = [:]
    }

    func loopDrains() {
        let timer = LoopTimer(on: loop) { [unowned self] in giveUp() }
        timer.arm(after: Self.grace)
        graceTimer = timer
    }

    func loopStops() {
        close()
        giveUp()
    }

    private func giveUp() {
        let error = NetError(.closed, "the event loop ends")
        for lookup in lookups { lookup.end(.failure(error)) }
    }

    // MARK: Events

    /// Lets c-ares process events.
    private func process(_ descriptor: Int32, _ readable: Bool, _ writable: Bool) {
        guard let channel = unsafe channel else { return }
        unsafe tapline_ares_process(channel, descriptor, readable ? 1 : 0, writable ? 1 : 0)
        arm()
    }

    /// Wakes c-ares at its next timeout.
    private func arm() {
        guard let channel = unsafe channel else { return }
        let wait = unsafe tapline_ares_wait(channel)
        guard wait >= 0 else { return timer?.cancel() ?? () }
        timer?.arm(after: Microseconds(Int64(wait)))
    }

    /// Handles that c-ares waits for other events of one of its sockets, or is about to close it.
    private func changed(_ descriptor: Int32, _ readable: Bool, _ writable: Bool) {
        guard readable || writable else {
            sockets.removeValue(forKey: descriptor)?.close()
            return
        }
        let watch =
            sockets[descriptor]
            ?? SocketWatch(of: descriptor, on: loop) { [unowned self] readable, writable in
                process(descriptor, readable, writable)
            }
        // Without a watch, the query times out and moves to the next server.
        sockets[descriptor] = watch
        watch?.wait(readable: readable, writable: writable)
    }

    private static let onChange: ares_sock_state_cb = { data, descriptor, readable, writable in
        guard let data = unsafe data else { return }
        unsafe Unmanaged<CAresChannel>.fromOpaque(data).takeUnretainedValue()
            .changed(descriptor, readable != 0, writable != 0)
    }

    private static let onAnswer: ares_addrinfo_callback = { data, status, _, found in
        guard let data = unsafe data else { return }
        unsafe Unmanaged<NameLookup>.fromOpaque(data).takeRetainedValue().came(status, found)
    }
}

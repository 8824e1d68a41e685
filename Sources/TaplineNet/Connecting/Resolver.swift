// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel

/// Looks hosts up on libuv's threads, each host once at a time.
///
/// **Isolation**: the loop's thread.
final class Resolver {
    private let loop: EventLoop
    private var cache: NameCache
    private var running: [String: Lookup] = [:]

    init(on loop: EventLoop, _ options: ConnectorOptions) {
        self.loop = loop
        cache = NameCache(
            capacity: options.maxNames,
            lifetime: options.nameLifetime.count,
            failureLifetime: options.failureLifetime.count
        )
    }

    /// Looks a host up; calls back once, at once where the answer is known.
    func lookUp(_ host: String, _ done: @escaping (NameCache.Answer) -> Void) {
        if let ip = IPAddress(host) { return done(.success([SocketAddress(ip, port: 0)])) }
        guard Self.isName(host) else {
            return done(.failure(NetError(.dns, "cannot look up a host; its name is not valid")))
        }
        let name = host.lowercased()
        if let answer = cache.answer(for: name, at: loop.now) { return done(answer) }
        if let lookup = running[name] {
            lookup.waiting.append(done)
            return
        }
        do {
            running[name] = try Lookup(name, on: loop, done) { [weak self] answer in
                self?.didLookUp(name, answer)
            }
        } catch {
            done(.failure(error))
        }
    }

    private func didLookUp(_ name: String, _ answer: NameCache.Answer) {
        running[name] = nil
        if case .failure(let error) = answer, error.code != .dns { return }
        cache.keep(answer, for: name, at: loop.now)
    }

    /// Whether C would read the whole of it, and a resolver could know it (RFC 1035 §2.3.4).
    private static func isName(_ host: String) -> Bool {
        1...255 ~= host.utf8.count && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

/// One look-up, for all who wait for it.
@safe
private final class Lookup: LoopResource {
    private let name: String
    private let loop: EventLoop
    private let request: UnsafeMutablePointer<uv_getaddrinfo_t>
    private let ended: (NameCache.Answer) -> Void
    var waiting: [(NameCache.Answer) -> Void]

    init(
        _ name: String,
        on loop: EventLoop,
        _ first: @escaping (NameCache.Answer) -> Void,
        then ended: @escaping (NameCache.Answer) -> Void
    ) throws(NetError) {
        guard !loop.isStopped else { throw NetError(.closed, "the event loop has ended") }
        self.name = name
        self.loop = loop
        self.ended = ended
        waiting = [first]
        unsafe request = .allocate(capacity: 1)
        unsafe request.initialize(to: uv_getaddrinfo_t())
        unsafe request.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let status = unsafe tapline_uv_resolve(
            &loop.core.pointee.loop,
            request,
            name,
            Self.onAnswer
        )
        guard status >= 0 else { throw Self.error(status, name) }
        loop.register(self)
    }

    deinit { unsafe request.deallocate() }

    func loopDrains() {}

    func loopStops() {
        // A look-up that runs already ends by itself, and the loop with it.
        unsafe tapline_uv_cancel(request)
    }

    private static func error(_ status: Int32, _ name: String) -> NetError {
        let error = NetError(status: status, "look up '\(name)'")
        // A refusal of the system to answer is as good as no address, whatever its reason.
        return error.code == .closed ? error : NetError(.dns, error.message, name: error.name)
    }

    private func didEnd(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let raw = unsafe entry.pointee.ai_addr,
                let address = unsafe SocketAddress(tapline_uv_decode(raw)),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        unsafe uv_freeaddrinfo(list)
        var answer = NameCache.Answer.success(addresses)
        if status < 0 {
            answer = .failure(Self.error(status, name))
        } else if addresses.isEmpty {
            answer = .failure(NetError(.dns, "cannot look up '\(name)'; it has no address"))
        }
        ended(answer)
        let told = waiting
        waiting = []
        for done in told { done(answer) }
        loop.unregister(self)
    }

    private static let onAnswer: uv_getaddrinfo_cb = { request, status, list in
        guard let data = unsafe request?.pointee.data else { return }
        unsafe Unmanaged<Lookup>.fromOpaque(data).takeUnretainedValue().didEnd(status, list)
    }
}

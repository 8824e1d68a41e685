// SPDX-License-Identifier: MIT

internal import CAres
internal import CUV

/// A request for the addresses of a name.
final class NameWaiter {
    fileprivate let done: (NameCache.Answer) -> Void
    fileprivate weak var lookup: NameLookup?

    init(_ done: @escaping (NameCache.Answer) -> Void) { self.done = done }

    /// Cancels the request.
    ///
    /// `done` is not called, and a lookup without requests is abandoned.
    func cancel() {
        lookup?.remove(self)
        lookup = nil
    }
}

/// One lookup, for all requests for its name.
///
/// c-ares calls back from within its own functions, where a channel may not be closed. So the
/// result is delivered after the current batch of events.
///
/// **Isolation**: the loop's thread.
final class NameLookup {
    let name: String
    private let loop: EventLoop
    private let channel: CAresChannel
    private let ended: (NameCache.Answer?) -> Void
    private var waiting: [NameWaiter] = []
    private var isOver = false

    /// Makes a lookup that has not started.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - loop: The loop.
    ///   - channel: The channel for the lookup.
    ///   - ended: Called before the requests, with the result, or `nil` if no request is left.
    init(
        _ name: String,
        on loop: EventLoop,
        _ channel: CAresChannel,
        then ended: @escaping (NameCache.Answer?) -> Void
    ) {
        self.name = name
        self.loop = loop
        self.channel = channel
        self.ended = ended
    }

    /// Starts the lookup.
    ///
    /// Even if c-ares has the result before this returns, it is delivered later.
    func begin() { channel.begin(self) }

    func add(_ waiter: NameWaiter) {
        waiter.lookup = self
        waiting.append(waiter)
    }

    fileprivate func remove(_ waiter: NameWaiter) {
        waiting.removeAll { $0 === waiter }
        guard waiting.isEmpty, !isOver else { return }
        isOver = true
        ended(nil)
        channel.end(self)
    }

    /// Delivers a result to all requests at once.
    func end(_ answer: NameCache.Answer) {
        guard !isOver else { return }
        isOver = true
        ended(answer)
        let waiters = waiting
        waiting = []
        for waiter in waiters {
            waiter.lookup = nil
            waiter.done(answer)
        }
        channel.end(self)
    }

    /// Handles the result of c-ares.
    func came(_ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { if unsafe found != nil { unsafe ares_freeaddrinfo(found) } }
        guard !isOver, status != ARES_ECANCELLED, status != ARES_EDESTRUCTION
        else { return }
        let answer = unsafe answer(status, found?.pointee.nodes)
        loop.afterThisEvent { self.end(answer) }
    }

    private func answer(
        _ status: Int32,
        _ nodes: UnsafeMutablePointer<ares_addrinfo_node>?
    ) -> NameCache.Answer {
        guard status == ARES_SUCCESS else {
            return .failure(.notFound(name, status: status))
        }
        var addresses: [SocketAddress] = []
        var next = unsafe nodes
        while let node = unsafe next {
            if let raw = unsafe node.pointee.ai_addr,
                let address = unsafe SocketAddress(tapline_uv_decode(raw)),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = node.pointee.ai_next
        }
        return addresses.isEmpty
            ? .failure(.notFound(name, status: ARES_ENODATA)) : .success(addresses)
    }
}

extension NetError {
    /// Returns why a name has no address; `status` is that of c-ares.
    static func notFound(_ name: String, status: Int32) -> NetError {
        let reason: (name: String, text: String) =
            switch status {
            case ARES_ENOTFOUND: ("ENOTFOUND", "the name does not exist")
            case ARES_ENODATA: ("ENODATA", "the name has no address")
            case ARES_ESERVFAIL: ("ESERVFAIL", "the name server failed (SERVFAIL)")
            case ARES_EREFUSED: ("EREFUSED", "the name server refused to answer")
            case ARES_ETIMEOUT: ("ETIMEOUT", "no name server answered")
            case ARES_ECONNREFUSED: ("ECONNREFUSED", "no name server gave an answer")
            case ARES_EBADNAME: ("EBADNAME", "the name is not valid")
            default: ("ARES_\(status)", unsafe String(cString: ares_strerror(status)).lowercased())
            }
        let code = status == ARES_ENOMEM ? NetError.Code.exhausted : .dns
        return NetError(code, "cannot look up '\(name)'; \(reason.text)", name: reason.name)
    }
}

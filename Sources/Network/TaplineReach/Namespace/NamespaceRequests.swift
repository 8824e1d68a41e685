// SPDX-License-Identifier: MIT

internal import CReach
internal import Glibc
package import TaplineNet

/// The channel by which each loop gets its own channel for requests to the helper.
///
/// **Isolation**: any thread.
package final class NamespaceChannel: Sendable {
    private let descriptor: Int32

    /// Uses a socket for requests, and takes ownership of it.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { tapline_reach_close(descriptor) }

    /// Whether the helper has ended.
    var hasEnded: Bool { tapline_reach_has_ended(descriptor) != 0 }

    /// Opens a channel, which the caller owns; on failure, the result is the error number of the
    /// system, negated.
    func open() -> Int32 { tapline_reach_open_channel(descriptor) }
}

/// Opens sockets inside a namespace, through its helper.
///
/// ```
///          request            the helper has ended
///  unused ─────────▶ open ────────────────────────▶ broken
///     ▲               │
///     └───────────────┘ the channel is lost             any ──▶ stopped
/// ```
/// The helper answers in the order of the requests. A request fails if no descriptor is left for its
/// socket, or for its channel; the next one asks again. If the helper has ended, every request fails:
/// a listener inside must never be replaced by another one because it cannot be asked for.
///
/// **Isolation**: the loop's thread.
package final class NamespaceRequests {
    package typealias Done = (Result<Int32, NetError>) -> Void

    /// How many requests may be without an answer before others wait; far fewer than the system
    /// stores in a channel.
    private static let maxSent = 64

    private enum State {
        /// There is no channel: nothing was requested yet, or the last one is lost.
        case unused
        case open(Int32, SocketWatch)
        /// The helper has ended.
        case broken
        /// The loop ends.
        case stopped
    }

    private struct Request {
        let address: SocketAddress
        let done: Done
    }

    private let loop: EventLoop
    private let channel: NamespaceChannel
    private let broken: () -> Void
    private var state = State.unused
    /// The requests without an answer, in their order.
    private var requests: [Request] = []
    /// How many of them, from the first one on, are sent.
    private var sentCount = 0

    /// - Parameters:
    ///   - loop: The loop.
    ///   - channel: The way to the helper.
    ///   - broken: Called once if the helper cannot be reached any more.
    package init(
        on loop: EventLoop,
        _ channel: NamespaceChannel,
        broken: @escaping () -> Void
    ) {
        self.loop = loop
        self.channel = channel
        self.broken = broken
    }

    /// Opens a socket that can be connected to a listener at an address.
    ///
    /// Calls back once, not before this method returns, with a socket that the callback then owns.
    /// The error `connectRefused` means that only Tapline itself can listen there.
    package func open(for address: SocketAddress, _ done: @escaping Done) {
        let failure: NetError? = if case .unused = state { begin() } else { nil }
        guard case .open(let descriptor, _) = state else {
            return loop.afterThisEvent { done(.failure(failure ?? Self.unreachable)) }
        }
        requests.append(Request(address: address, done: done))
        send(over: descriptor)
    }

    /// Closes the channel; requests without an answer fail.
    package func stop() { end(.stopped, Self.unreachable) }

    private static let unreachable = NetError(
        .unreachable,
        "the helper of the namespace has ended, so nothing inside it can be reached"
    )

    private static let lost = exhausted("by its helper", 0)

    /// Opens a channel.
    ///
    /// - Returns: Why there is none.
    private func begin() -> NetError? {
        let descriptor = channel.open()
        guard descriptor >= 0 else {
            guard channel.hasEnded else { return Self.exhausted("here", -descriptor) }
            breakOff()
            return Self.unreachable
        }
        let watch = SocketWatch(of: descriptor, on: loop) { [unowned self] _, _ in receive() }
        guard let watch else {
            tapline_reach_close(descriptor)
            return Self.exhausted("here", 0)
        }
        state = .open(descriptor, watch)
        watch.wait(readable: true, writable: false)
        return nil
    }

    private func send(over descriptor: Int32) {
        while sentCount < min(requests.count, Self.maxSent) {
            let address = requests[sentCount].address
            var message = tapline_reach_message()
            message.kind = UInt32(TAPLINE_REACH_OPEN.rawValue)
            message.version = address.ip.isV4 ? 4 : 6
            message.port = UInt32(address.port)
            let status = unsafe tapline_reach_send(descriptor, &message, -1)
            guard status == 0 else {
                // If the channel is lost, its watch finds out.
                let request = requests.remove(at: sentCount)
                let error = failure(ofSending: -status)
                loop.afterThisEvent { request.done(.failure(error)) }
                continue
            }
            sentCount += 1
        }
    }

    private func failure(ofSending code: Int32) -> NetError {
        if channel.hasEnded { return Self.unreachable }
        return code == EPIPE || code == ECONNRESET ? Self.lost : Self.exhausted("here", code)
    }

    /// Receives answers until there is none.
    private func receive() {
        while case .open(let descriptor, _) = state {
            var answer = tapline_reach_message()
            var socket: Int32 = -1
            let status = unsafe tapline_reach_receive(descriptor, &answer, &socket)
            if status == -EAGAIN { return }
            let isAnswer = status > 0 && answer.kind == UInt32(TAPLINE_REACH_OPENED.rawValue)
            guard isAnswer, sentCount > 0 else {
                if socket >= 0 { tapline_reach_close(socket) }
                return channelEnded()
            }
            let request = requests.removeFirst()
            sentCount -= 1
            send(over: descriptor)
            request.done(Self.result(socket, answer.detail, request.address))
        }
    }

    private static func result(
        _ socket: Int32,
        _ code: Int32,
        _ address: SocketAddress
    ) -> Result<Int32, NetError> {
        if socket >= 0 { return .success(socket) }
        if code == ECONNREFUSED {
            return .failure(NetError(.connectRefused, "nothing can listen at \(address)"))
        }
        // Without an error number, the helper had a socket.
        return .failure(exhausted(code == 0 ? "here" : "by its helper", code))
    }

    /// The error of a request whose socket or channel the system did not allow.
    private static func exhausted(_ place: String, _ code: Int32) -> NetError {
        let isShortage = [0, EMFILE, ENFILE, ETOOMANYREFS].contains(code)
        let reason = isShortage ? "no file descriptor is left" : "error \(code)"
        return NetError(
            .exhausted,
            "cannot open a socket inside the namespace \(place); \(reason)"
        )
    }

    /// Handles that the channel has ended: with the helper, or because the helper had no descriptor
    /// left for it.
    private func channelEnded() {
        if channel.hasEnded { return breakOff() }
        end(.unused, Self.lost)
    }

    /// Handles that the helper has ended.
    private func breakOff() {
        switch state {
        case .unused, .open:
            end(.broken, Self.unreachable)
            broken()
        case .broken, .stopped: return
        }
    }

    /// Closes the channel; the requests without an answer fail.
    private func end(_ ended: State, _ error: NetError) {
        if case .open(let descriptor, let watch) = state {
            watch.close()
            tapline_reach_close(descriptor)
        }
        state = ended
        sentCount = 0
        let failed = requests
        requests = []
        for request in failed { request.done(.failure(error)) }
    }
}

// SPDX-License-Identifier: MIT

/// Which of a host's addresses to try, and when (RFC 8305).
///
/// ```
/// begin ─▶ start ─▶ (head start over ─▶ start | wait)*
///                   (attempt failed  ─▶ start | wait | fail)*   until an attempt connects
/// ```
/// It has no sockets and no clock: events go in, and the next step comes out.
struct HappyEyeballs {
    /// The next step.
    enum Step: Equatable {
        /// Try an address in parallel with the current ones, and give it a head start.
        case start(SocketAddress)
        /// Wait until one of the others fails or connects.
        case wait
        /// Give up.
        case fail(NetError)
    }

    private var waiting: ArraySlice<SocketAddress>
    private var running = 0
    private var error: NetError?

    /// Takes the addresses in the order of the resolver (RFC 6724).
    init(_ addresses: [SocketAddress]) { waiting = Self.interleaved(addresses)[...] }

    /// Returns the first step.
    ///
    /// - Parameter error: The error if there is no address.
    /// - Returns: The step.
    mutating func begin(otherwise error: NetError) -> Step {
        guard let first = waiting.popFirst() else { return .fail(error) }
        running += 1
        return .start(first)
    }

    /// Handles the end of the head start of the last address.
    mutating func headStartEnded() -> Step {
        guard let next = waiting.popFirst() else { return .wait }
        running += 1
        return .start(next)
    }

    /// Handles a failed address; the next one need not wait (RFC 8305 §5).
    mutating func attemptFailed(_ error: NetError) -> Step {
        running -= 1
        // An unreachable address says least: many machines have no IPv6.
        if self.error == nil || self.error?.code == .unreachable { self.error = error }
        if let next = waiting.popFirst() {
            running += 1
            return .start(next)
        }
        return running > 0 ? .wait : .fail(self.error ?? error)
    }

    /// Returns the addresses in alternating families, starting with that of the first (RFC 8305
    /// §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let same = addresses.filter { $0.ip.isV4 == first.ip.isV4 }
        let other = addresses.filter { $0.ip.isV4 != first.ip.isV4 }
        var all: [SocketAddress] = []
        for index in 0..<max(same.count, other.count) {
            if index < same.count { all.append(same[index]) }
            if index < other.count { all.append(other[index]) }
        }
        return all
    }
}

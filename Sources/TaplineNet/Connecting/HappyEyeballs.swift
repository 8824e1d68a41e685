// SPDX-License-Identifier: MIT

/// Which of a host's addresses to try, and when (RFC 8305).
///
/// ```
/// begin ─▶ start ─▶ (head start over ─▶ start | wait)*
///                   (attempt failed  ─▶ start | wait | fail)*   until an attempt connects
/// ```
/// It knows no sockets and no clock: what happened goes in, what to do comes out.
struct HappyEyeballs {
    /// What to do.
    enum Step: Equatable {
        /// Try an address beside those that are being tried, and give it a head start.
        case start(SocketAddress)
        /// Nothing, until one of the others fails or connects.
        case wait
        /// Give up.
        case fail(NetError)
    }

    private var waiting: ArraySlice<SocketAddress>
    private var running = 0
    private var error: NetError?

    /// The addresses in the order of the resolver (RFC 6724).
    init(_ addresses: [SocketAddress]) { waiting = Self.interleaved(addresses)[...] }

    /// The first step.
    ///
    /// - Parameter error: Why, where there is no address.
    /// - Returns: What to do.
    mutating func begin(otherwise error: NetError) -> Step {
        guard let first = waiting.popFirst() else { return .fail(error) }
        running += 1
        return .start(first)
    }

    /// The address that was started last has had its time.
    mutating func headStartEnded() -> Step {
        guard let next = waiting.popFirst() else { return .wait }
        running += 1
        return .start(next)
    }

    /// An address could not be connected to; the next one need not wait (RFC 8305 §5).
    mutating func attemptFailed(_ error: NetError) -> Step {
        running -= 1
        // That there is no way to an address says least: many machines have no IPv6.
        if self.error == nil || self.error?.code == .unreachable { self.error = error }
        if let next = waiting.popFirst() {
            running += 1
            return .start(next)
        }
        return running > 0 ? .wait : .fail(self.error ?? error)
    }

    /// The families in turn, beginning with that of the first address (RFC 8305 §4).
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

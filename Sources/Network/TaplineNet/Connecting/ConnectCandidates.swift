// SPDX-License-Identifier: MIT

/// The places where a server may listen at an address that a source covers, in the order in which
/// they are tried: everywhere in the source before anywhere on this machine.
struct ConnectCandidates {
    /// The next step.
    enum Step: Equatable {
        /// Connect a socket of the source.
        case source(SocketAddress)
        /// Connect from here.
        case here(SocketAddress)
        /// Give up.
        case fail(NetError)
    }

    private var steps: ArraySlice<Step>
    private var error: NetError?

    /// The places of an address and of its alternative, if there is one.
    init(for address: SocketAddress, _ alternative: SocketAddress?) {
        let addresses = [address, alternative].compactMap { $0 }
        let steps = addresses.map { Step.source($0) } + addresses.map { Step.here($0) }
        self.steps = steps[...]
    }

    /// Returns the next step, after the last one was refused.
    mutating func next() -> Step {
        steps.popFirst()
            ?? .fail(error ?? NetError(.connectRefused, "nothing listens at the address"))
    }

    /// Notes why a connection from here was refused; the first reason counts, which is about the
    /// address that the client has named.
    mutating func refused(_ error: NetError) { self.error = self.error ?? error }
}

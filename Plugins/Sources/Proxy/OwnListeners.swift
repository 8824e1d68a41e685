// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplinePlugin

/// Where this proxy and the other sources of its pipeline listen, so that no connection leads back.
struct OwnListeners: Sendable {
    /// Where this proxy listens, with the real ports.
    private let own: [SocketAddress]
    private let intake: any Intake

    init(_ own: [SocketAddress], _ intake: any Intake) {
        self.own = own
        self.intake = intake
    }

    /// Why a client may not be connected to an address; `nil` if it may.
    ///
    /// Any address of this machine with the port of a listener is refused, since the listener would
    /// take the client for one on this machine, which it may let do more.
    func denial(of target: SocketAddress) -> NetError? {
        // Asking the system for its interfaces takes longest.
        isPort(target.port) && target.ip.isOfThisMachine ? Self.comesBack : nil
    }

    /// Why the proxy may not connect to an address to which its configuration has led; `nil` if it may.
    ///
    /// Only what comes in at its own listeners is refused: another program may well listen at the
    /// same port of another address.
    func denial(ofConfigured target: SocketAddress) -> NetError? {
        own.contains { $0.takes(target) } ? Self.comesBack : nil
    }

    private func isPort(_ port: UInt16) -> Bool {
        own.contains { $0.port == port }
            || intake.listeningPoints.contains { point in
                point.addresses.contains { SocketAddress($0)?.port == port }
            }
    }

    private static let comesBack = NetError(
        .targetDenied,
        "the request would come back to the proxy itself"
    )
}

extension SocketAddress {
    /// Whether a connection to an address comes in at this listener, which may be that of all
    /// addresses.
    fileprivate func takes(_ target: SocketAddress) -> Bool {
        guard port == target.port else { return false }
        if ip.unmapped == target.ip.unmapped || target.ip.isAny { return true }
        return ip.isAny && target.ip.isOfThisMachine
    }
}

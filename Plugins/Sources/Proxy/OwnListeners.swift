// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplinePlugin

/// The listeners of this proxy and of the other sources of its pipeline, to prevent loops, and the
/// inspectors and control listeners of the user, which clients must not reach through the proxy.
struct OwnListeners: Sendable {
    /// The addresses that this proxy listens on, with the real ports.
    private let own: [SocketAddress]
    private let intake: any Intake
    private let protected: ProtectedPorts

    init(
        _ own: [SocketAddress],
        _ intake: any Intake,
        protected: ProtectedPorts = .ofUser()
    ) {
        self.own = own
        self.intake = intake
        self.protected = protected
    }

    /// Returns why a client may not be connected to an address; `nil` if it may.
    ///
    /// Any address of this machine with the port of a listener is refused. The listener would see a
    /// client on this machine, and might grant it more.
    func denial(of target: SocketAddress) -> NetError? {
        // Checked last, since asking the system for its interfaces is slow.
        if isPort(target.port), target.ip.isOfThisMachine { return Self.leadsToItself }
        return leadsToInspector(target) ? Self.leadsToInspector : nil
    }

    /// Returns why the proxy may not connect to an address that its configuration names; `nil` if
    /// it may.
    ///
    /// Only the proxy's own listeners and inspectors are refused: another program may listen on the
    /// same port of another address.
    func denial(ofConfigured target: SocketAddress) -> NetError? {
        if own.contains(where: { $0.takes(target) }) { return Self.leadsToItself }
        return leadsToInspector(target) ? Self.leadsToInspector : nil
    }

    private func leadsToInspector(_ target: SocketAddress) -> Bool {
        // The registry is read last, since most targets are elsewhere.
        target.ip.isOfThisMachine && protected.contains(target.port)
    }

    private func isPort(_ port: UInt16) -> Bool {
        own.contains { $0.port == port }
            || intake.listeningPoints.contains { point in
                point.addresses.contains { SocketAddress($0)?.port == port }
            }
    }

    private static let leadsToItself = NetError(
        .targetDenied,
        "the request would lead back to the proxy itself"
    )

    private static let leadsToInspector = NetError(
        .targetDenied,
        "the request would lead to an inspector or a control listener of Tapline"
    )
}

extension SocketAddress {
    /// Returns whether a connection to an address reaches this listener, which may listen on all
    /// addresses.
    fileprivate func takes(_ target: SocketAddress) -> Bool {
        guard port == target.port else { return false }
        if ip.unmapped == target.ip.unmapped || target.ip.isAny { return true }
        return ip.isAny && target.ip.isOfThisMachine
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplinePlugin
internal import TaplineReach

/// The namespace of `tapline exec --all`, as all workers of a proxy share it.
///
/// **Isolation**: any thread.
final class ProxyNamespace: Sendable {
    /// The names of the sockets in the registry of the pipeline.
    private enum Place {
        static let tcp = "namespace/tcp"
        static let dns = "namespace/dns"
        static let quicV4 = "namespace/quic4"
        static let quicV6 = "namespace/quic6"
        static let requests = "namespace/requests"
    }

    /// The listeners, one for each address.
    let addresses: [BoundAddress]
    /// The names that programs have looked up.
    let names = NameMemory()
    private let settings: NamespaceSettings
    private let requests: NamespaceRequests?
    private let dns: [ListeningSocket]
    private let quicV4: [ListeningSocket]
    private let quicV6: [ListeningSocket]

    /// Takes the sockets that `exec --all` has left with the pipeline.
    ///
    /// - Throws: `NetError` if there are none.
    init(_ settings: NamespaceSettings, loops: Int, _ intake: any Intake) throws(NetError) {
        let intake = intake as? any ListeningIntake
        func sockets(_ place: String) -> [ListeningSocket] { intake?.sockets(at: place) ?? [] }
        self.settings = settings
        dns = sockets(Place.dns)
        quicV4 = sockets(Place.quicV4)
        quicV6 = sockets(Place.quicV6)
        requests =
            sockets(Place.requests).first
            .flatMap { DatagramSocket.duplicate($0.descriptor) }
            .map { NamespaceRequests(owning: $0) }
        var groups: [SocketAddress: [Int32]] = [:]
        for socket in sockets(Place.tcp) {
            guard let address = BoundAddress.address(of: socket.descriptor) else { continue }
            groups[address, default: []].append(socket.descriptor)
        }
        guard !groups.isEmpty else {
            throw NetError(
                .closed,
                "there is no namespace to listen in; 'mode: namespace' is for 'tapline exec --all'"
            )
        }
        var addresses: [BoundAddress] = []
        for group in groups.values {
            addresses.append(try BoundAddress(duplicating: group, atLeast: loops))
        }
        self.addresses = addresses
    }

    /// Returns a socket that is connected to a listener inside the namespace, for a loopback
    /// address; `nil` if the address has to be connected to from outside.
    func socket(for address: SocketAddress) throws(NetError) -> Int32? {
        guard address.ip.isLoopback || address.ip.isAny else { return nil }
        switch requests?.connect(to: address) {
        case .connected(let socket): return socket
        case .failed:
            // Never another server instead: a listener inside may only be slow.
            throw NetError(.connectTimeout, "nothing inside the namespace answers at \(address)")
        case .refused, nil: break
        }
        if settings.reachesHostLoopback { return nil }
        throw NetError(
            .targetDenied,
            "nothing inside the namespace listens on \(address), and '--no-host-loopback' forbids "
                + "this machine's loopback addresses"
        )
    }

    /// Starts a worker's part: the first one also answers datagrams.
    func begin(_ worker: ProxyWorker, isFirst: Bool) throws(NetError) -> WorkerNamespace {
        func copies(_ sockets: [ListeningSocket]) -> [Int32] {
            isFirst ? sockets.compactMap { DatagramSocket.duplicate($0.descriptor) } : []
        }
        return WorkerNamespace(
            names,
            try DNSRelay(on: worker.loop, sockets: copies(dns), names),
            try RefusedDatagrams(on: worker.loop, v4: copies(quicV4), v6: copies(quicV6)) {
                [unowned worker, names] target in
                worker.refusedQUIC(to: target, named: names.name(of: target.ip))
            }
        )
    }
}

/// The part of a namespace that belongs to a worker.
///
/// **Isolation**: the worker's thread.
final class WorkerNamespace {
    let names: NameMemory
    private let relay: DNSRelay
    private let refused: RefusedDatagrams

    init(_ names: NameMemory, _ relay: DNSRelay, _ refused: RefusedDatagrams) {
        self.names = names
        self.relay = relay
        self.refused = refused
    }

    /// Answers a program that sends DNS queries over TCP.
    func serveDNS(_ socket: TCPConnection) { relay.serve(socket) }

    /// Closes its sockets.
    func stop() {
        relay.stop()
        refused.stop()
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplineOperations
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
    private let channel: NamespaceChannel
    private let log: Log
    /// Whether it was logged that the helper has ended.
    private let isReported = Atomic(false)
    private let dns: [ListeningSocket]
    private let quicV4: [ListeningSocket]
    private let quicV6: [ListeningSocket]

    /// Takes the sockets that `exec --all` has left with the pipeline.
    ///
    /// - Throws: `NetError` if there are none.
    init(_ settings: NamespaceSettings, loops: Int, _ intake: any Intake) throws(NetError) {
        log = intake.log
        let intake = intake as? any ListeningIntake
        func sockets(_ place: String) -> [ListeningSocket] { intake?.sockets(at: place) ?? [] }
        self.settings = settings
        dns = sockets(Place.dns)
        quicV4 = sockets(Place.quicV4)
        quicV6 = sockets(Place.quicV6)
        let requests = sockets(Place.requests).first
        let copy = requests.flatMap { DatagramSocket.duplicate($0.descriptor) }
        var groups: [SocketAddress: [Int32]] = [:]
        for socket in sockets(Place.tcp) {
            guard let address = BoundAddress.address(of: socket.descriptor) else { continue }
            groups[address, default: []].append(socket.descriptor)
        }
        guard let channel = copy.map({ NamespaceChannel(owning: $0) }), !groups.isEmpty else {
            throw NetError(
                .closed,
                "there is no namespace to listen in; 'mode: namespace' is for 'tapline exec --all'"
            )
        }
        self.channel = channel
        var addresses: [BoundAddress] = []
        for group in groups.values {
            addresses.append(try BoundAddress(duplicating: group, atLeast: loops))
        }
        self.addresses = addresses
    }

    /// Returns the source of a worker's sockets for loopback addresses.
    func sockets(on loop: EventLoop) -> NamespaceSockets {
        let requests = NamespaceRequests(on: loop, channel) { [self] in
            guard !isReported.exchange(true, ordering: .relaxed) else { return }
            log.error(
                "the helper of the namespace has ended: connections to loopback addresses fail, "
                    + "since listeners inside cannot be told from this machine's"
            )
        }
        return NamespaceSockets(requests, settings)
    }

    /// Starts a worker's part: the first one also answers datagrams.
    func begin(
        _ worker: ProxyWorker,
        _ sockets: NamespaceSockets,
        isFirst: Bool
    ) throws(NetError) -> WorkerNamespace {
        func copies(_ sockets: [ListeningSocket]) -> [Int32] {
            isFirst ? sockets.compactMap { DatagramSocket.duplicate($0.descriptor) } : []
        }
        return WorkerNamespace(
            names,
            sockets,
            try DNSRelay(on: worker.loop, sockets: copies(dns), names),
            try RefusedDatagrams(on: worker.loop, v4: copies(quicV4), v6: copies(quicV6)) {
                [unowned worker, names] target in
                worker.refusedQUIC(to: target, named: names.names(of: target.ip.unmapped))
            }
        )
    }
}

/// The part of a namespace that belongs to a worker.
///
/// **Isolation**: the worker's thread.
final class WorkerNamespace {
    let names: NameMemory
    private let sockets: NamespaceSockets
    private let relay: DNSRelay
    private let refused: RefusedDatagrams

    init(
        _ names: NameMemory,
        _ sockets: NamespaceSockets,
        _ relay: DNSRelay,
        _ refused: RefusedDatagrams
    ) {
        self.names = names
        self.sockets = sockets
        self.relay = relay
        self.refused = refused
    }

    /// Answers a program that sends DNS queries over TCP.
    func serveDNS(_ socket: TCPConnection, ended: @escaping () -> Void) {
        relay.serve(socket, ended: ended)
    }

    /// Closes its sockets.
    func stop() {
        sockets.stop()
        relay.stop()
        refused.stop()
    }
}

/// The sockets of a worker for loopback addresses: a listener inside takes precedence over one of this machine.
///
/// **Isolation**: the worker's thread.
final class NamespaceSockets: SocketOpener {
    private let requests: NamespaceRequests
    private let settings: NamespaceSettings

    init(_ requests: NamespaceRequests, _ settings: NamespaceSettings) {
        self.requests = requests
        self.settings = settings
    }

    func covers(_ address: SocketAddress) -> Bool { address.ip.isLoopback || address.ip.isAny }

    func open(
        for address: SocketAddress,
        _ opened: @escaping (Result<Int32, NetError>) -> Void
    ) { requests.open(for: address, opened) }

    func refusal(of address: SocketAddress) -> NetError? {
        if settings.reachesHostLoopback { return nil }
        return NetError(
            .targetDenied,
            "nothing inside the namespace listens on \(address), and '--no-host-loopback' forbids "
                + "this machine's loopback addresses"
        )
    }

    /// Returns `127.0.0.1` for `::1`, and the reverse: a program that is refused at one address of
    /// `localhost` tries the other, but here its connection was accepted already.
    func alternative(to address: SocketAddress) -> SocketAddress? {
        switch address.ip {
        case .loopbackV4: SocketAddress(.loopbackV6, port: address.port)
        case .loopbackV6: SocketAddress(.loopbackV4, port: address.port)
        default: nil
        }
    }

    /// Closes the way to the helper.
    func stop() { requests.stop() }
}

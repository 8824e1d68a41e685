// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
package import TaplineNet
package import TaplineOperations
package import TaplineProtobuf
package import TaplineServe
internal import TaplineSystem

/// Shows stores as a web page, on a thread of its own.
///
/// It reads the stores as another process would; it may be stopped at any time.
///
/// **Isolation**: any thread.
package final class InspectorServer: Sendable {
    /// The address that it listens on, with the real port.
    package let address: SocketAddress
    /// The address of the page; with the token that logs a browser in, unless that takes a password.
    package let url: String
    private let context: InspectorContext
    private let poller: StorePoller
    private let group: EventLoopGroup
    /// Keeps proxies from connecting their clients to it; `nil` if that is not possible.
    private let protectedPort: ProtectedPort?
    /// Why proxies of Tapline cannot know that they must not connect their clients to it; `nil` if
    /// they do.
    package let warning: String?
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)

    /// Starts to serve at an address.
    ///
    /// - Parameters:
    ///   - stores: The stores, as on the command line; they may be missing for now.
    ///   - address: The address, which is loopback without `access`; port 0 lets the kernel choose a
    ///     port.
    ///   - countsEachCopy: Whether an exchange that several databases have is several rows.
    ///   - access: What lets other machines reach the page; `nil` for this machine only.
    ///   - log: Takes warnings about wrong passwords.
    ///   - control: The pipeline that the inspector runs beside; `nil` if there is none.
    ///   - actions: Starts replays and mocks; `nil` if the page may not.
    ///   - ballOrigins: The origins of the pages that may show the ball.
    ///   - ballShowsAll: Whether these pages may read the exchanges of other pages, too.
    ///   - ruleFiles: Further rule files that the page shows and changes.
    ///   - schema: The types of protobuf messages; `nil` if they are unknown.
    /// - Throws: `InspectorError` if the address is not allowed, or `NetError`.
    package convenience init(
        _ stores: [String],
        at address: SocketAddress = SocketAddress(.loopbackV4, port: 0),
        countsEachCopy: Bool = false,
        access: RemoteAccess? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        control: (any PipelineControl)? = nil,
        actions: (any InspectorActions)? = nil,
        ballOrigins: [String] = [],
        ballShowsAll: Bool = false,
        ruleFiles: [(id: String, path: String)] = [],
        schema: ProtobufSchema? = nil
    ) throws {
        try self.init(
            stores,
            on: try Self.bind(address, access),
            countsEachCopy: countsEachCopy,
            access: access,
            log: log,
            control: control,
            actions: actions,
            ballOrigins: ballOrigins,
            ballShowsAll: ballShowsAll,
            ruleFiles: ruleFiles,
            schema: schema
        )
    }

    /// Listens at an address, for a server that starts later.
    ///
    /// - Parameters:
    ///   - address: The address, which is loopback without `access`; port 0 lets the kernel choose a
    ///     port.
    ///   - access: What lets other machines reach the page; `nil` for this machine only.
    /// - Returns: The address, at which clients wait until the server starts.
    /// - Throws: `InspectorError` if the address is not allowed, or `NetError`.
    package static func bind(
        _ address: SocketAddress,
        _ access: RemoteAccess? = nil
    ) throws -> BoundAddress {
        guard address.ip.isLoopback || access != nil else {
            throw InspectorError.notLoopback(address)
        }
        return try BoundAddress(address)
    }

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - stores: The stores, as on the command line; they may be missing for now.
    ///   - bound: The result of `bind`.
    ///   - countsEachCopy: Whether an exchange that several databases have is several rows.
    ///   - access: What lets other machines reach the page; `nil` for this machine only.
    ///   - log: Takes warnings about wrong passwords.
    ///   - control: The pipeline that the inspector runs beside; `nil` if there is none.
    ///   - actions: Starts replays and mocks; `nil` if the page may not.
    ///   - ballOrigins: The origins of the pages that may show the ball.
    ///   - ballShowsAll: Whether these pages may read the exchanges of other pages, too.
    ///   - ruleFiles: Further rule files that the page shows and changes.
    ///   - schema: The types of protobuf messages; `nil` if they are unknown.
    ///   - options: The limits of the server.
    ///   - protectedPorts: Where proxies look which ports they must not connect to.
    /// - Throws: `InspectorError` if the address is not allowed, or `NetError`.
    package init(
        _ stores: [String],
        on bound: BoundAddress,
        countsEachCopy: Bool = false,
        access: RemoteAccess? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        control: (any PipelineControl)? = nil,
        actions: (any InspectorActions)? = nil,
        ballOrigins: [String] = [],
        ballShowsAll: Bool = false,
        ruleFiles: [(id: String, path: String)] = [],
        schema: ProtobufSchema? = nil,
        _ options: ServeOptions = .inspector,
        protectedPorts: ProtectedPorts = .ofUser()
    ) throws {
        guard bound.address.ip.isLoopback || access != nil else {
            throw InspectorError.notLoopback(bound.address)
        }
        address = bound.address
        do throws(ProtectedPortError) {
            protectedPort = try protectedPorts.protect(bound.address.port)
            warning = nil
        } catch {
            protectedPort = nil
            warning =
                "proxies of Tapline do not know of the page, and may connect their clients to it: "
                + "\(error)"
        }
        let context = try InspectorContext(
            stores,
            access?.rules(port: bound.address.port) ?? AccessRules(of: bound.address),
            control,
            countsEachCopy: countsEachCopy,
            actions: actions,
            passwordLogin: access.map { PasswordLogin($0.password, log) },
            ballOrigins: ballOrigins,
            ballShowsAll: ballShowsAll,
            ruleFiles: ruleFiles,
            schema: schema
        )
        self.context = context
        url =
            access?.url(port: bound.address.port)
            ?? "http://\(bound.address)/#token=\(context.sessions.token)"
        poller = StorePoller(
            stores,
            addedIn: actions?.recordingFolder,
            context.stores,
            context.hub
        ) { context.tick() }
        group = try EventLoopGroup(threads: 1)
        let handler = RequestHandler(context)
        let ended = hasEnded
        let limits = access == nil ? options : options.limitingAnonymous(context)
        group.start { loop, _ in
            try HTTPServer.listen(bound, on: loop, limits, tls: access?.tls) {
                handler.handle($0, $1)
            }
        } then: { _ in
            ended.signal()
        }
        try poller.start()
        context.attend()
    }

    deinit { stop() }

    /// The address of the script that shows the ball; `nil` if no page may show it.
    package var ballURL: String? {
        context.ball.map { "http://\(address)/ball.js?token=\($0.token)" }
    }

    /// Stops, and waits until nothing uses the stores any more.
    package func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        poller.stop()
        group.stop()
        hasEnded.wait()
        context.stop()
        protectedPort?.release()
    }
}

/// Why an inspector cannot start.
package struct InspectorError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    static func notLoopback(_ address: SocketAddress) -> InspectorError {
        InspectorError(
            description: "cannot listen on \(address) without TLS and a password, since anyone who "
                + "reaches the page could read the traffic"
        )
    }
}

extension ServeOptions {
    /// The limits of an inspector, which takes the bodies of requests to be sent.
    package static var inspector: ServeOptions {
        var options = ServeOptions()
        options.maxBodyBytes = 16 << 20
        return options
    }

    /// Limits the memory and the connections of clients that have not logged in.
    ///
    /// Connections without a login end with their first answer, so that those of a few addresses
    /// cannot fill the total.
    fileprivate func limitingAnonymous(_ context: InspectorContext) -> ServeOptions {
        var options = self
        options.maxConnections = 1024
        options.maxConnectionsOfClient = 64
        options.firstTime = Microseconds(.seconds(10))
        options.isLoggedIn = { [weak context] request in
            guard let context else { return false }
            let sessions = context.sessions.current
            return context.rules.refusal(of: request, for: .change, sessions: sessions) == nil
        }
        options.keepsConnection = { [weak context] request in
            guard let context else { return false }
            return context.rules.hasCookie(request, of: context.sessions.current)
        }
        return options
    }
}

extension AccessRules {
    /// The rules of a server on loopback.
    fileprivate init(of address: SocketAddress) {
        let port = address.port
        let hosts = Set(["127.0.0.1:\(port)", "localhost:\(port)", address.description])
        self.init(hosts: hosts.sorted(), cookie: "tapline-\(port)")
    }
}

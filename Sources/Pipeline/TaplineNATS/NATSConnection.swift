// SPDX-License-Identifier: MIT

internal import CNATS
internal import Synchronization
package import TaplinePlugin
internal import TaplineSystem
internal import TaplineTLS

/// A connection to one of several servers, which the library makes again when it is lost.
///
/// **Isolation**: any thread. Handlers of the library never own one, so that it is not released on
/// a thread of the library.
@safe
package final class NATSConnection: @unchecked Sendable {
    let connection: OpaquePointer
    /// The context for questions about streams and consumers.
    let context: OpaquePointer
    private let observer: NATSObserver
    private let retired = Mutex<[Retired]>([])
    /// How long an answer may take, in milliseconds.
    package let timeout: Int64
    /// How many fetched messages may wait in a subscription.
    let maxWaiting: Int32

    /// Connects.
    ///
    /// - Parameters:
    ///   - settings: Where, and with which credentials.
    ///   - id: The component, for the name that the server shows.
    ///   - log: Receives what happens to the connection.
    /// - Throws: `NATSError` if no server accepts the connection; `isPassing` if none can be reached.
    package init(_ settings: NATSSettings, id: String, log: Log) throws(NATSError) {
        do throws(LibraryError) {
            try SharedLibrary.nats.load()
        } catch {
            throw NATSError(.other, error.description)
        }
        let options = try NATSOptions(settings, name: "tapline \(id)")
        observer = NATSObserver(log)
        timeout = settings.timeout
        maxWaiting = settings.maxWaiting
        let reference = unsafe observer.attach(to: options.options)
        var connection: OpaquePointer?
        let status = unsafe natsConnection_Connect(&connection, options.options)
        guard status == NATS_OK, let made = unsafe connection else {
            let error = NATSError.connecting(to: settings.shownServers, status)
            unsafe reference.release()
            throw error
        }
        var context: OpaquePointer?
        let second = unsafe tapline_nats_context(&context, made, settings.timeout, 0, nil, nil)
        guard second == NATS_OK, let ready = unsafe context else {
            let error = NATSError("cannot use JetStream", second)
            observer.willClose()
            unsafe natsConnection_Destroy(made)
            throw error
        }
        unsafe self.connection = made
        unsafe self.context = ready
    }

    deinit {
        close()
        for retired in retired.withLock({ $0 }) { retired.destroy() }
        unsafe jsCtx_Destroy(context)
        unsafe natsConnection_Destroy(connection)
    }

    /// Calls a function that destroys a subscription, or what has one, after the connection is closed.
    ///
    /// Before, the library's thread may be about to use it: libnats 3.4 does not retain the
    /// subscription of a message that it has received (https://github.com/nats-io/nats.c/issues/637).
    func afterClose(_ destroy: @escaping () -> Void) {
        let end = Retired(destroy: destroy)
        retired.withLock { $0.append(end) }
    }

    /// Whether there is a connection now.
    package var isConnected: Bool {
        unsafe natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED
    }

    /// Whether the connection is closed and not made again.
    package var isClosed: Bool { unsafe natsConnection_IsClosed(connection) }

    /// The server, without credentials; empty if there is no connection now.
    package var url: String { unsafe Self.url(of: connection) }

    /// The largest message that the server accepts, in bytes.
    package var maxPayload: Int { Int(unsafe natsConnection_GetMaxPayload(connection)) }

    /// Waits until the server has received what was sent.
    package func flush() {
        _ = unsafe natsConnection_FlushTimeout(connection, timeout)
    }

    /// Closes the connection; the object stays valid.
    package func close() {
        observer.willClose()
        unsafe natsConnection_Close(connection)
    }

    @unsafe
    static func url(of connection: OpaquePointer?) -> String {
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe natsConnection_GetConnectedUrl(connection, &text, text.count) == NATS_OK
        else { return "" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What is destroyed with a connection.
///
/// **Isolation**: any thread, since it is called once, by the connection's `deinit`.
private struct Retired: @unchecked Sendable {
    let destroy: () -> Void
}

extension NATSSettings {
    fileprivate var shownServers: String {
        servers.prefix(3).joined(separator: ", ") + (servers.count > 3 ? ", …" : "")
    }
}

/// The options of a connection to be made.
@safe
private final class NATSOptions {
    let options: OpaquePointer

    init(_ settings: NATSSettings, name: String) throws(NATSError) {
        var options: OpaquePointer?
        let status = unsafe natsOptions_Create(&options)
        guard status == NATS_OK, let made = unsafe options else {
            throw NATSError("cannot connect", status)
        }
        unsafe self.options = made
        try set(settings, name)
    }

    deinit { unsafe natsOptions_Destroy(options) }

    private func set(_ settings: NATSSettings, _ name: String) throws(NATSError) {
        let options = unsafe options
        var servers: [UInt8] = []
        for server in settings.servers {
            servers += server.utf8
            servers.append(0)
        }
        try NATSError.check(
            "servers",
            unsafe tapline_nats_set_servers(options, servers, servers.count)
        )
        try NATSError.check("name", unsafe natsOptions_SetName(options, name))
        try NATSError.check("timeout", unsafe natsOptions_SetTimeout(options, settings.timeout))
        // Without it, a server that receives nothing more holds a lock that all calls need.
        try NATSError.check(
            "timeout",
            unsafe natsOptions_SetWriteDeadline(options, settings.timeout)
        )
        // Forever: what waits is queued, and the queue knows when to give up.
        try NATSError.check("options", unsafe natsOptions_SetMaxReconnect(options, -1))
        try NATSError.check("options", unsafe natsOptions_SetReconnectWait(options, 250))
        try NATSError.check("options", unsafe natsOptions_SetReconnectJitter(options, 100, 250))
        try NATSError.check("options", unsafe natsOptions_SetPingInterval(options, 10_000))
        try NATSError.check(
            "options",
            unsafe natsOptions_SetFailRequestsOnDisconnect(options, true)
        )
        // Fetched messages wait in the subscription.
        try NATSError.check(
            "options",
            unsafe natsOptions_SetMaxPendingMsgs(options, settings.maxWaiting)
        )
        switch settings.credentials {
        case .file(let path):
            try NATSError.check(
                "credentials",
                unsafe natsOptions_SetUserCredentialsFromFiles(options, path, nil)
            )
        case .user(let user, let password):
            try NATSError.check("user", unsafe natsOptions_SetUserInfo(options, user, password))
        case .token(let token):
            try NATSError.check("token", unsafe natsOptions_SetToken(options, token))
        case nil: break
        }
        if let tls = settings.tls { try set(tls) }
    }

    private func set(_ tls: TLSClientOptions) throws(NATSError) {
        let options = unsafe options
        try NATSError.check("tls", unsafe natsOptions_SetSecure(options, true))
        for path in tls.authorityFiles {
            try NATSError.check(
                "authorities",
                unsafe natsOptions_LoadCATrustedCertificates(options, path)
            )
        }
        if let certificate = tls.certificateFile, let key = tls.keyFile {
            try NATSError.check(
                "client_certificate",
                unsafe natsOptions_LoadCertificatesChain(options, certificate, key)
            )
        }
        if !tls.verify {
            try NATSError.check("tls", unsafe natsOptions_SkipServerVerification(options, true))
        }
    }
}

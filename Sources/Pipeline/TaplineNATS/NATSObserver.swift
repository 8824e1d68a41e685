// SPDX-License-Identifier: MIT

internal import CNATS
internal import Synchronization
internal import TaplinePlugin

/// Logs what happens to a connection, on the threads of the library.
///
/// The library keeps a pointer to it until the connection is closed for good, which is the last
/// event.
final class NATSObserver: Sendable {
    private struct State {
        /// How often each asynchronous error has occurred.
        var errors: [UInt32: Int] = [:]
        var isClosing = false
    }

    private let log: Log
    private let state = Mutex(State())

    init(_ log: Log) { self.log = log }

    /// The owner closes the connection, so that its end is not an error.
    func willClose() { state.withLock { $0.isClosing = true } }

    func disconnected() {
        if isClosing { return }
        log.warning("the connection to the server is lost; connecting again")
    }

    func reconnected(to url: String) {
        log.info("connected again\(url.isEmpty ? "" : " to \(url)")")
    }

    func closed(_ reason: String) {
        if isClosing { return }
        log.error("the connection is closed\(reason.isEmpty ? "" : ": \(reason)")")
    }

    func failed(_ status: natsStatus) {
        let count = state.withLock { state -> Int in
            state.errors[status.rawValue, default: 0] += 1
            return state.errors[status.rawValue] ?? 1
        }
        // An error such as a missing permission can occur with every message.
        guard count.nonzeroBitCount == 1, !isClosing else { return }
        if status == NATS_SLOW_CONSUMER {
            guard count == 1 else { return }
            return log.warning(
                "too many messages wait; those that do not fit come again, since they are not "
                    + "acknowledged"
            )
        }
        let text = unsafe String(cString: natsStatus_GetText(status))
        log.warning(count == 1 ? text : "\(text) (\(count) times)")
    }

    private var isClosing: Bool { state.withLock { $0.isClosing } }

    // MARK: - The library

    /// Sets the callbacks of a connection to be made, and keeps the observer alive for them.
    @unsafe
    func attach(to options: OpaquePointer) -> NATSObserverReference {
        let reference = unsafe Unmanaged.passRetained(self)
        let closure = unsafe reference.toOpaque()
        unsafe natsOptions_SetDisconnectedCB(
            options,
            { _, closure in unsafe NATSObserver.of(closure)?.disconnected() },
            closure
        )
        unsafe natsOptions_SetReconnectedCB(
            options,
            { connection, closure in
                let url = unsafe NATSConnection.url(of: connection)
                unsafe NATSObserver.of(closure)?.reconnected(to: url)
            },
            closure
        )
        unsafe natsOptions_SetErrorHandler(
            options,
            { _, _, status, closure in unsafe NATSObserver.of(closure)?.failed(status) },
            closure
        )
        unsafe natsOptions_SetClosedCB(
            options,
            { connection, closure in
                var text: UnsafePointer<CChar>?
                _ = unsafe natsConnection_GetLastError(connection, &text)
                let reason = unsafe text.map { unsafe NATSError.cleaned(String(cString: $0)) }
                unsafe NATSObserver.of(closure)?.closed(reason ?? "")
                guard let closure = unsafe closure else { return }
                unsafe Unmanaged<NATSObserver>.fromOpaque(closure).release()
            },
            closure
        )
        return unsafe NATSObserverReference(reference: reference)
    }

    private static func of(_ closure: UnsafeMutableRawPointer?) -> NATSObserver? {
        guard let closure = unsafe closure else { return nil }
        return unsafe Unmanaged<NATSObserver>.fromOpaque(closure).takeUnretainedValue()
    }
}

/// The reference that the library holds; released here only if there was no connection.
@unsafe
struct NATSObserverReference {
    let reference: Unmanaged<NATSObserver>

    func release() { unsafe reference.release() }
}

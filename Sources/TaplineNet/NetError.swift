// SPDX-License-Identifier: MIT

internal import CUV

/// Why something on the network failed.
///
/// The message names addresses and hosts, never what was sent.
public struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that logs and records hold, such as `connect_refused`.
        public let name: String

        /// The word.
        public var description: String { name }
    }

    /// What kind of failure it is.
    public let code: Code

    /// libuv's name of the cause, such as `ECONNREFUSED`; empty where the cause is no system call.
    public let name: String

    /// What is wrong.
    public let message: String

    /// An error that this module found itself, or another layer of a connection.
    public init(_ code: Code, _ message: String, name: String = "") {
        self.code = code
        self.name = name
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension NetError.Code {
    /// The host has no address, or its name could not be looked up.
    public static let dns = Self(name: "dns")
    /// Nobody listens there.
    public static let connectRefused = Self(name: "connect_refused")
    /// No connection within the time limit.
    public static let connectTimeout = Self(name: "connect_timeout")
    /// There is no way to the address.
    public static let unreachable = Self(name: "unreachable")
    /// The address may not be connected to.
    public static let targetDenied = Self(name: "target_denied")
    /// The peer broke the connection off.
    public static let reset = Self(name: "reset")
    /// The peer did not answer or take data in time.
    public static let timeout = Self(name: "timeout")
    /// The connection, or the loop, was closed here.
    public static let closed = Self(name: "closed")
    /// Another socket has the port.
    public static let addressInUse = Self(name: "address_in_use")
    /// The address is none of this machine.
    public static let addressUnavailable = Self(name: "address_unavailable")
    /// The system does not allow it.
    public static let permissionDenied = Self(name: "permission_denied")
    /// No more files can be opened, or no memory is left.
    public static let exhausted = Self(name: "exhausted")
    /// Any other failure of a system call.
    public static let system = Self(name: "system")
}

extension NetError {
    /// The error of a libuv call.
    ///
    /// - Parameters:
    ///   - status: What the call returned, which is negative.
    ///   - action: What was tried, such as `connect to 127.0.0.1:80`.
    init(status: Int32, _ action: String) {
        let name = unsafe String(cString: uv_err_name(status))
        let reason = unsafe String(cString: uv_strerror(status))
        self.init(.init(status: status), "cannot \(action); \(reason)", name: name)
    }
}

extension NetError.Code {
    /// The kind that a status of libuv belongs to.
    init(status: Int32) {
        self =
            switch uv_errno_t(rawValue: status) {
            case UV_ECONNREFUSED: .connectRefused
            case UV_ETIMEDOUT: .timeout
            case UV_ENETUNREACH, UV_EHOSTUNREACH, UV_ENETDOWN, UV_EHOSTDOWN: .unreachable
            case UV_ECONNRESET, UV_EPIPE, UV_ECONNABORTED: .reset
            case UV_ECANCELED: .closed
            case UV_EADDRINUSE: .addressInUse
            case UV_EADDRNOTAVAIL: .addressUnavailable
            case UV_EACCES, UV_EPERM: .permissionDenied
            case UV_EMFILE, UV_ENFILE, UV_ENOMEM, UV_ENOBUFS: .exhausted
            default: .system
            }
    }
}

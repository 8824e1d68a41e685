// SPDX-License-Identifier: MIT

internal import CUV

/// Why something on the network failed.
///
/// The message contains addresses and hosts, but never traffic.
package struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name in logs and records, such as `connect_refused`.
        package let name: String

        /// The name.
        package var description: String { name }
    }

    /// The kind of failure.
    package let code: Code

    /// libuv's name of the cause, such as `ECONNREFUSED`; empty if the cause is not a system call.
    package let name: String

    /// The error message.
    package let message: String

    /// Makes an error that this module, or another layer of a connection, has detected.
    package init(_ code: Code, _ message: String, name: String = "") {
        self.code = code
        self.name = name
        self.message = message
    }

    /// The message.
    package var description: String { message }
}

extension NetError.Code {
    /// The host has no address, or its name could not be resolved.
    package static let dns = Self(name: "dns")
    /// No socket listens at the address.
    package static let connectRefused = Self(name: "connect_refused")
    /// No connection was made within the time limit.
    package static let connectTimeout = Self(name: "connect_timeout")
    /// There is no route to the address.
    package static let unreachable = Self(name: "unreachable")
    /// Connections to the address are not allowed.
    package static let targetDenied = Self(name: "target_denied")
    /// The peer reset the connection.
    package static let reset = Self(name: "reset")
    /// The peer did not respond or accept data in time.
    package static let timeout = Self(name: "timeout")
    /// The connection, or the loop, was closed here.
    package static let closed = Self(name: "closed")
    /// Another socket has the port.
    package static let addressInUse = Self(name: "address_in_use")
    /// The address does not belong to this machine.
    package static let addressUnavailable = Self(name: "address_unavailable")
    /// The system does not permit it.
    package static let permissionDenied = Self(name: "permission_denied")
    /// No descriptor or memory is left.
    package static let exhausted = Self(name: "exhausted")
    /// Any other failure of a system call.
    package static let system = Self(name: "system")
}

extension NetError {
    /// Makes the error of a libuv call.
    ///
    /// - Parameters:
    ///   - status: The result of the call, which is negative.
    ///   - action: The attempted action, such as `connect to 127.0.0.1:80`.
    init(status: Int32, _ action: String) {
        let name = unsafe String(cString: uv_err_name(status))
        let reason = unsafe String(cString: uv_strerror(status))
        self.init(.init(status: status), "cannot \(action); \(reason)", name: name)
    }
}

extension NetError.Code {
    /// Returns the kind of a libuv status.
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

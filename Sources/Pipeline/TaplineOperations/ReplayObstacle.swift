// SPDX-License-Identifier: MIT

/// Why a recorded request cannot be sent.
package enum ReplayObstacle: String, Sendable, CaseIterable {
    /// The method is CONNECT.
    case connect
    /// The host has no target.
    case noTarget = "no_target"
    /// The body or a message was not recorded, or only a part of it.
    case missingBody = "missing_body"
    /// A value was masked.
    case masked
    /// The method can change things, and the target is another machine.
    case unsafeMethod = "unsafe_method"

    /// A sentence for people, without traffic.
    package var reason: String {
        switch self {
        case .connect: "CONNECT opens a tunnel, which is not replayed"
        case .noTarget: "'to' has no server for the host"
        case .missingBody: "the body or a message was not recorded, or only a part of it"
        case .masked: "a value was masked, so it is not known"
        case .unsafeMethod: "the method can change things, and the target is not this machine"
        }
    }
}

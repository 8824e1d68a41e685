// SPDX-License-Identifier: MIT

/// What is known about whether a program trusts the certificate of a host.
///
/// ```
///             alert, or silence twice                request
///  unknown ─────────────────────────▶ rejecting ────────────────▶ trusting
///                                     │      ▲                       │ alert
///                                time │      │ any sign              ▼
///                                     └▶ doubtful ◀──────────────────┘
/// ```
/// A request leads to `trusting` from everywhere. Several programs may look like one, so a program
/// that trusts is read until the signs of another one repeat.
package struct CertificateStanding: Sendable, Equatable {
    /// How a program shows that it rejects a certificate.
    package enum Sign: Sendable {
        /// It says so with an alert of TLS.
        case alert
        /// It disconnects without a request; so do programs that do not need a connection.
        case silence
    }

    private enum State: Equatable {
        case unknown
        case trusting
        case doubtful
        case rejecting(until: Int64)
    }

    /// How long connections pass before one is tried again, in microseconds.
    static let lifetime: Int64 = 3_600_000_000

    private var state = State.unknown

    /// Handles a rejection.
    mutating func rejected(_ sign: Sign, at now: Int64) {
        switch (state, sign) {
        case (.trusting, .silence): return
        case (.trusting, .alert), (.unknown, .silence): state = .doubtful
        case (.unknown, .alert), (.doubtful, _), (.rejecting, _):
            state = .rejecting(until: now &+ Self.lifetime)
        }
    }

    /// Handles a request in a connection that is read.
    mutating func requested() { state = .trusting }

    /// Returns whether a connection passes unread.
    func passes(at now: Int64) -> Bool {
        if case .rejecting(let end) = state { now < end } else { false }
    }
}

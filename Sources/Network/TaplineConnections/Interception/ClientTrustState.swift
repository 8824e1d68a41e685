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
/// that trusts is read until the signs of another one repeat. After a time, `doubtful` leads back to
/// `trusting` if it came from there, and otherwise to `unknown`.
package struct ClientTrustState: Sendable, Equatable {
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
        /// There is one sign, or a rejection whose time is over; after a time it is forgotten.
        case doubtful(until: Int64, hasTrusted: Bool)
        case rejecting(until: Int64)
    }

    /// How long a rejection lasts, and then the doubt, in microseconds.
    static let lifetime: Int64 = 3_600_000_000

    private var state = State.unknown

    /// Handles a rejection.
    mutating func rejected(_ sign: Sign, at now: Int64) {
        let end = now &+ Self.lifetime
        switch (state(at: now), sign) {
        case (.trusting, .silence): state = .trusting
        case (.trusting, .alert): state = .doubtful(until: end, hasTrusted: true)
        case (.unknown, .silence): state = .doubtful(until: end, hasTrusted: false)
        case (.unknown, .alert), (.doubtful, _), (.rejecting, _): state = .rejecting(until: end)
        }
    }

    /// Handles a request in a connection that is read.
    mutating func requested() { state = .trusting }

    /// Returns whether a connection passes unread.
    func passes(at now: Int64) -> Bool {
        if case .rejecting = state(at: now) { true } else { false }
    }

    /// Returns the state after the time that has passed.
    private func state(at now: Int64) -> State {
        switch state {
        case .unknown, .trusting: return state
        case .rejecting(let end):
            guard now >= end else { return state }
            let doubt = end &+ Self.lifetime
            return now < doubt ? .doubtful(until: doubt, hasTrusted: false) : .unknown
        case .doubtful(let end, let hasTrusted):
            guard now >= end else { return state }
            return hasTrusted ? .trusting : .unknown
        }
    }
}

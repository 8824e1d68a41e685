// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplineServe

/// How long a client has to wait before its next password is looked at.
///
/// The first wrong ones cost nothing, since people mistype. After them, each one doubles the wait.
/// After an hour without a failure, a client starts at zero again.
///
/// **Limits**: 1024 clients; a further one replaces the client whose last failure is the oldest.
/// **Units**: times are microseconds of a steady clock.
struct LoginAttempts: Sendable {
    /// Whose wrong passwords are counted together.
    enum Client: Hashable, Sendable {
        /// A browser that has logged in before, by the value of its cookie.
        case browser([UInt8])
        /// All other browsers of an address, or of a network of IPv6; `nil` if it is unknown.
        case network(IPAddress?)

        /// Creates the client of an address, which counts by its `IPAddress.clientNetwork`.
        init(_ address: IPAddress?) { self = .network(address?.clientNetwork) }
    }

    /// How many wrong passwords cost nothing.
    static let free = 5
    /// The longest wait.
    static let longestWait: Int64 = 300_000_000
    private static let firstWait: Int64 = 1_000_000
    private static let lifetime: Int64 = 3_600_000_000
    static let maxClients = 1024

    private struct Failures {
        var count = 0
        var last: Int64
        /// When the next password is looked at.
        var end: Int64
    }

    private var failures: [Client: Failures] = [:]
    /// How many wrong passwords there were, of all clients.
    private(set) var wrong = 0

    /// How many clients are remembered.
    var clients: Int { failures.count }

    /// Returns how long a client has to wait; 0 if its password may be looked at now.
    func wait(of client: Client, at now: Int64) -> Int64 {
        guard let found = failures[client] else { return 0 }
        return max(found.end - now, 0)
    }

    /// Notes a wrong password.
    mutating func failed(_ client: Client, at now: Int64) {
        wrong += 1
        var found = failures[client] ?? Failures(last: now, end: now)
        if now - found.last > Self.lifetime { found.count = 0 }
        found.count += 1
        found.last = now
        // 2^20 seconds are more than the longest wait.
        let doublings = min(found.count - Self.free, 20)
        if doublings >= 0 { found.end = now + min(Self.firstWait << doublings, Self.longestWait) }
        if failures[client] == nil, failures.count >= Self.maxClients { forgetOldest() }
        failures[client] = found
    }

    /// Notes the right password.
    mutating func succeeded(_ client: Client) {
        failures[client] = nil
    }

    private mutating func forgetOldest() {
        let oldest = failures.min { $0.value.last < $1.value.last }
        if let oldest { failures[oldest.key] = nil }
    }
}

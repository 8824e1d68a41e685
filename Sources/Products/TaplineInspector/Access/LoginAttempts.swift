// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplineServe

/// How long an address has to wait before its next password is looked at.
///
/// The first wrong ones cost nothing, since people mistype. After them, each one doubles the wait. An
/// address that has sent nothing wrong for an hour begins anew.
///
/// **Limits**: 1024 addresses; another one takes the place of the one that was wrong longest ago. IPv6
/// addresses count by their network (`IPAddress.clientNetwork`).
/// **Units**: times are microseconds of a steady clock.
struct LoginAttempts: Sendable {
    /// How many wrong passwords cost nothing.
    static let free = 5
    /// The longest wait.
    static let longestWait: Int64 = 300_000_000
    private static let firstWait: Int64 = 1_000_000
    private static let lifetime: Int64 = 3_600_000_000
    static let maxAddresses = 1024

    private struct Failures {
        var count = 0
        var last: Int64
        /// When the next password is looked at.
        var end: Int64
    }

    private var failures: [IPAddress?: Failures] = [:]
    /// How many wrong passwords there were, of all addresses.
    private(set) var wrong = 0

    /// How many addresses are remembered.
    var addresses: Int { failures.count }

    /// Returns how long a client has to wait; 0 if its password may be looked at now.
    func wait(of client: IPAddress?, at now: Int64) -> Int64 {
        guard let found = failures[client?.clientNetwork] else { return 0 }
        return max(found.end - now, 0)
    }

    /// Notes a wrong password.
    mutating func failed(_ client: IPAddress?, at now: Int64) {
        wrong += 1
        let group = client?.clientNetwork
        var found = failures[group] ?? Failures(last: now, end: now)
        if now - found.last > Self.lifetime { found.count = 0 }
        found.count += 1
        found.last = now
        // 2^20 seconds are more than the longest wait.
        let doublings = min(found.count - Self.free, 20)
        if doublings >= 0 { found.end = now + min(Self.firstWait << doublings, Self.longestWait) }
        if failures[group] == nil, failures.count >= Self.maxAddresses { forgetOldest() }
        failures[group] = found
    }

    /// Notes the right password.
    mutating func succeeded(_ client: IPAddress?) {
        failures[client?.clientNetwork] = nil
    }

    private mutating func forgetOldest() {
        let oldest = failures.min { $0.value.last < $1.value.last }
        if let oldest { failures[oldest.key] = nil }
    }
}

// SPDX-License-Identifier: MIT

import Synchronization
import TaplineNet
import Testing

@testable import TaplineConnections

@Suite("The count of connections")
struct ConnectionCountTests {
    private final class Share: ConnectionBudget {
        let isUsed = Mutex(false)
        var isUnused: Bool { isUsed.withLock { !$0 } }
    }

    private let first = IPAddress(v4: 0x0A00_0001)
    private let second = IPAddress(v4: 0x0A00_0002)

    private func text(_ entry: ConnectionCount<Share>.Entry) -> String {
        switch entry {
        case .admitted: "admitted"
        case .full: "full"
        case .clientFull: "client full"
        }
    }

    @Test("admits clients up to the limits, and others when some have disconnected")
    func limits() {
        let count = ConnectionCount(limit: 3, clientLimit: 2) { Share() }
        let entries = [first, first, first, second, second].map { text(count.enter($0)) }
        #expect(entries == ["admitted", "admitted", "client full", "admitted", "full"])
        count.leave(first)
        #expect(text(count.enter(second)) == "admitted")
        #expect(text(count.enter(first)) == "full")
    }

    @Test("gives the connections of one address the same share, as long as it is known")
    func shares() throws {
        let count = ConnectionCount(limit: 9, clientLimit: 9) { Share() }
        func share(of address: IPAddress) -> Share? {
            if case .admitted(let share) = count.enter(address) { share } else { nil }
        }
        let shares = [first, first, second].map { share(of: $0) }
        #expect(shares[0] === shares[1])
        #expect(shares[0] !== shares[2])
        shares[0]?.isUsed.withLock { $0 = true }
        for address in [first, first, second] { count.leave(address) }
        #expect(count.addressCount == 1)
        count.sweep()
        #expect(count.addressCount == 1)
        shares[0]?.isUsed.withLock { $0 = false }
        count.sweep()
        #expect(count.addressCount == 0)
    }
}

@Suite("A shortage of descriptors")
struct DescriptorShortageTests {
    @Test("is reported at most once per interval")
    func pause() async throws {
        let reports = Mutex<[Int]>([])
        let rare = DescriptorShortage(every: .seconds(3600)) { limit in
            reports.withLock { $0.append(limit) }
        }
        for limit in [1, 2, 3] { rare.note(limit: limit) }
        #expect(reports.withLock { $0 } == [1])
        let frequent = DescriptorShortage(every: .milliseconds(1)) { limit in
            reports.withLock { $0.append(limit) }
        }
        frequent.note(limit: 4)
        try await Task.sleep(for: .milliseconds(20))
        frequent.note(limit: 5)
        #expect(reports.withLock { $0 } == [1, 4, 5])
    }
}

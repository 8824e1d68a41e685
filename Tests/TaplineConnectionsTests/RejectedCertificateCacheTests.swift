// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineTLS
import Testing

@testable import TaplineConnections

@Suite struct RejectedCertificateCacheTests {
    enum Event: Sendable {
        case alert, silence, request
    }

    /// Returns whether a connection passes unread after events, at a time in microseconds.
    private func passes(after events: [Event], at now: Int64 = 1) -> Bool {
        var standing = ClientTrustState()
        for event in events {
            switch event {
            case .alert: standing.rejected(.alert, at: 0)
            case .silence: standing.rejected(.silence, at: 0)
            case .request: standing.requested()
            }
        }
        return standing.passes(at: now)
    }

    @Test func anAlertIsCertainAndSilenceCountsTwice() {
        #expect(!passes(after: []))
        #expect(passes(after: [.alert]))
        #expect(!passes(after: [.silence]))
        #expect(passes(after: [.silence, .silence]))
        #expect(passes(after: [.silence, .alert]))
        #expect(passes(after: [.alert, .silence]))
    }

    @Test func aRequestProvesTrust() {
        #expect(!passes(after: [.request]))
        #expect(!passes(after: [.alert, .request]))
        #expect(!passes(after: [.silence, .request, .silence, .silence, .silence]))
        // Another program that looks the same.
        #expect(!passes(after: [.request, .alert]))
        #expect(passes(after: [.request, .alert, .alert]))
        #expect(!passes(after: [.request, .alert, .request, .alert]))
    }

    @Test func aRejectionExpiresAndTheNextSignRenewsIt() {
        let end = ClientTrustState.lifetime
        #expect(passes(after: [.alert], at: end - 1))
        #expect(!passes(after: [.alert], at: end))
        var standing = ClientTrustState()
        standing.rejected(.alert, at: 0)
        standing.rejected(.silence, at: end)
        #expect(standing.passes(at: end + 1))
    }

    /// The signs that lead to doubt, when it ends, and whether each sign alone is then a rejection.
    @Test(
        arguments: [
            ([(.silence, 0)], ClientTrustState.lifetime, false),
            ([(.alert, 0)], 2 * ClientTrustState.lifetime, false),
            ([(.silence, 0), (.silence, 1)], 2 * ClientTrustState.lifetime + 1, false),
            ([(.request, 0), (.alert, 0)], ClientTrustState.lifetime, true),
        ] as [([(Event, Int64)], Int64, Bool)]
    )
    func doubtExpires(signs: [(Event, Int64)], end: Int64, hasTrusted: Bool) {
        func passes(after sign: ClientTrustState.Sign, at time: Int64) -> Bool {
            var standing = ClientTrustState()
            for (event, time) in signs {
                switch event {
                case .alert: standing.rejected(.alert, at: time)
                case .silence: standing.rejected(.silence, at: time)
                case .request: standing.requested()
                }
            }
            standing.rejected(sign, at: time)
            return standing.passes(at: time)
        }
        // Just before, the sign is the second one.
        #expect(passes(after: .silence, at: end - 1))
        #expect(passes(after: .alert, at: end - 1))
        #expect(!passes(after: .silence, at: end))
        #expect(passes(after: .alert, at: end) == !hasTrusted)
    }

    @Test func aSignThatHasExpiredIsForgottenByTheMemory() throws {
        let memory = RejectedCertificateCache()
        let end = ClientTrustState.lifetime
        let key = RejectedCertificateCache.Key(try hello("a.test"), to: "203.0.113.7", from: nil)
        for time in [0, end, 2 * end] { memory.note(key, .silence, at: time) }
        #expect(!memory.passes(key, at: 2 * end))
        memory.note(key, .silence, at: 3 * end - 1)
        #expect(memory.passes(key, at: 3 * end))
    }

    private struct NoHello: Error {}

    private func hello(_ host: String) throws -> ClientHello {
        let context = try TLSContext(client: TLSClientOptions())
        let session = try TLSSession(connecting: context, to: ServerName(host), port: 443)
        var bytes: [UInt8] = []
        var position = 0
        _ = try session.handshake(Span<UInt8>(), from: &position, replies: &bytes)
        guard case .hello(let hello) = ClientHello.peek(bytes.span) else {
            throw NoHello()
        }
        return hello
    }

    @Test func machinesAreToldApart() throws {
        let memory = RejectedCertificateCache()
        let hello = try hello("a.test")
        let keys = [IPAddress("10.0.0.1"), IPAddress("10.0.0.2"), nil].map {
            RejectedCertificateCache.Key(hello, to: "203.0.113.7", from: $0)
        }
        memory.note(keys[0], .alert, at: 0)
        #expect(keys.map { memory.passes($0, at: 1) } == [true, false, false])
        memory.noteTrust(keys[0])
        #expect(!memory.passes(keys[0], at: 1))
    }

    @Test func manyHostsMakeItForgetOnlyTheOldest() throws {
        let memory = RejectedCertificateCache(limit: 3)
        let keys = try (1...4).map {
            RejectedCertificateCache.Key(try hello("\($0).test"), to: "203.0.113.7", from: nil)
        }
        for key in keys { memory.note(key, .alert, at: 0) }
        #expect(keys.map { memory.passes($0, at: 1) } == [false, true, true, true])
    }
}

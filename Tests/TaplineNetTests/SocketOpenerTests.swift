// SPDX-License-Identifier: MIT

import Glibc
import TaplineNet
import TestSupport
import Testing

/// A source that answers all requests for an address in the same way.
private final class FixedSource: SocketOpener {
    /// What it answers.
    enum Answer: Sendable {
        case socket
        case error(NetError.Code)
    }

    private let loop: EventLoop
    private let answer: Answer
    private let answerV4: Answer
    private let refusalCode: NetError.Code?
    private let events: Events

    init(
        _ loop: EventLoop,
        _ answer: Answer,
        v4: Answer?,
        refusal: NetError.Code?,
        _ events: Events
    ) {
        self.loop = loop
        self.answer = answer
        answerV4 = v4 ?? answer
        refusalCode = refusal
        self.events = events
    }

    func covers(_ address: SocketAddress) -> Bool { address.ip.isLoopback }

    func open(
        for address: SocketAddress,
        _ opened: @escaping (Result<Int32, NetError>) -> Void
    ) {
        events.add("asked")
        let answer = address.ip.isV4 ? answerV4 : answer
        loop.afterThisEvent {
            switch answer {
            case .socket: opened(.success(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)))
            case .error(let code): opened(.failure(NetError(code, "inside")))
            }
        }
    }

    func refusal(of address: SocketAddress) -> NetError? {
        events.add("refused")
        return refusalCode.map { NetError($0, "outside") }
    }

    func alternative(to address: SocketAddress) -> SocketAddress? {
        address.ip == .loopbackV6 ? SocketAddress(.loopbackV4, port: address.port) : nil
    }
}

@Suite struct SocketOpenerTests {
    /// Connects once through a source; returns what it was asked, and the outcome.
    private func events(
        _ answer: FixedSource.Answer,
        v4: FixedSource.Answer? = nil,
        refusal: NetError.Code? = nil,
        of host: String = "127.0.0.1",
        to port: UInt16,
        isConfigured: Bool = false
    ) throws -> [String] {
        let events = Events()
        try withLoops { loop, _ in
            let connector = Connector(on: loop)
            connector.sockets = FixedSource(
                loop,
                answer,
                v4: v4,
                refusal: refusal,
                events
            )
            let check: Connector.AddressCheck? = isConfigured ? { _ in nil } : nil
            connector.connect(to: host, port: port, check: check) { outcome in
                switch outcome.result {
                case .success(let connection):
                    connection.close()
                    events.add("open")
                case .failure(let error): events.add(error.code.name)
                }
            }
        } _: { _ in
            blockingWait(for: "the outcome") {
                events.all.contains { !["asked", "refused"].contains($0) }
            }
        }
        return events.all
    }

    @Test func itsSocketIsConnected() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let found = try events(.socket, to: port)
            #expect(found == ["asked", "open"])
        }
    }

    @Test func onlyARefusedSocketLeadsToThisMachine() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let refused = try events(.error(.connectRefused), to: port)
            #expect(refused == ["asked", "refused", "open"])
            for code in [NetError.Code.unreachable, .exhausted, .connectTimeout] {
                let failed = try events(.error(code), to: port)
                #expect(failed == ["asked", code.name])
            }
        }
    }

    @Test func aSocketThatNobodyAcceptsIsRefused() throws {
        let free = try BoundAddress(SocketAddress(.loopbackV4, port: 0)).address.port
        let refused = try events(.socket, to: free)
        #expect(refused == ["asked", "refused", "connect_refused"])
        let denied = try events(.socket, refusal: .targetDenied, to: free)
        #expect(denied == ["asked", "refused", "target_denied"])
    }

    @Test func theAlternativeFollowsOnlyARefusal() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let refused = try events(.error(.connectRefused), of: "::1", to: port)
            #expect(refused == ["asked", "asked", "refused", "refused", "open"])
            let failed = try events(.error(.unreachable), of: "::1", to: port)
            #expect(failed == ["asked", "unreachable"])
        }
        let free = try BoundAddress(SocketAddress(.loopbackV4, port: 0)).address.port
        let nobody = try events(.error(.connectRefused), of: "::1", to: free)
        #expect(nobody == ["asked", "asked", "refused", "refused", "connect_refused"])
        let denied = try events(
            .error(.connectRefused),
            refusal: .targetDenied,
            of: "::1",
            to: free
        )
        #expect(denied == ["asked", "asked", "refused", "refused", "target_denied"])
    }

    @Test func theAlternativeThereIsTriedBeforeThisMachine() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let found = try events(.error(.connectRefused), v4: .socket, of: "::1", to: port)
            #expect(found == ["asked", "asked", "open"])
            let failed = try events(
                .error(.connectRefused),
                v4: .error(.exhausted),
                of: "::1",
                to: port
            )
            #expect(failed == ["asked", "asked", "exhausted"])
        }
    }

    @Test func aHostThatNoClientHasChosenIsConnectedToFromHere() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let found = try events(.error(.unreachable), to: port, isConfigured: true)
            #expect(found == ["open"])
        }
    }
}

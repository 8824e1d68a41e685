// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import TaplineNet
import Testing

@testable import TaplineConnections

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("The pool of servers")
struct ServerPoolTests {
    /// Opens a number of connections at once, gives them to the pool, and calls back.
    private static func fill(
        _ servers: Servers,
        _ count: Int,
        _ filled: @escaping ([ServerLeg]) -> Void
    ) {
        var legs: [ServerLeg] = []
        for _ in 0..<count {
            servers.pool.connect(to: servers.origin, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                leg.begin(
                    ServerLog { _ in
                        legs.append(leg)
                        guard legs.count == count else { return }
                        for leg in legs { servers.pool.give(leg) }
                        filled(legs)
                    },
                    RequestKind()
                )
                leg.socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8.span)
            }
        }
    }

    @Test("keeps no more connections than its limit, and closes the others")
    func limit() async throws {
        let (idle, open) = try await Scenario<(Int, [Bool])>.run { scenario, loop in
            let servers = try Servers(on: loop, limit: 2) { _, _ in [.send(hello)] }
            Self.fill(servers, 3) { legs in
                scenario.finish((servers.pool.idleCount, legs.map(\.socket.isOpen)))
            }
        }
        #expect(idle == 2)
        #expect(open == [true, true, false])
    }

    @Test("returns the connection that became idle last")
    func order() async throws {
        let isLast = try await Scenario<[Bool]>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello)] }
            Self.fill(servers, 3) { legs in
                let taken = (0..<4).map { _ in servers.pool.take(servers.origin) }
                scenario.finish(zip(taken, [legs[2], legs[1], legs[0], nil]).map { $0 === $1 })
            }
        }
        #expect(isLast == [true, true, true, true])
    }

    @Test("returns no connection of another server")
    func origins() async throws {
        let isNone = try await Scenario<[Bool]>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello)] }
            Self.fill(servers, 1) { _ in
                let (host, port) = (servers.origin.host, servers.origin.port)
                let others = [
                    Origin(isSecure: true, host: host, port: port),
                    Origin(isSecure: false, host: "localhost", port: port),
                    Origin(isSecure: false, host: host, port: port &+ 1),
                    Origin(isSecure: false, host: host, port: port, serverName: "b.test"),
                ]
                scenario.finish(others.map { servers.pool.take($0) == nil })
            }
        }
        #expect(isNone == [true, true, true, true])
    }

    @Test("closes the connections of a group whose client is gone, and no others")
    func groups() async throws {
        let counts = try await Scenario<[Int]>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello)] }
            Self.fill(servers, 2) { _ in
                let group = servers.origin.group
                servers.pool.closeAll(ofGroup: group + 1)
                let kept = servers.pool.idleCount
                servers.pool.closeAll(ofGroup: group)
                scenario.finish([kept, servers.pool.idleCount])
            }
        }
        #expect(counts == [2, 0])
    }

    @Test("closes connections that were idle for too long")
    func age() async throws {
        let (before, after, isGiven) = try await Scenario<(Int, Int, Bool)>.run { scenario, loop in
            let servers = try Servers(on: loop, maxAge: Microseconds(150_000)) { _, _ in
                [.send(hello)]
            }
            Self.fill(servers, 2) { _ in
                let before = servers.pool.idleCount
                loop.after(500) {
                    let after = servers.pool.idleCount
                    scenario.finish((before, after, servers.pool.take(servers.origin) != nil))
                }
            }
        }
        #expect(before == 2)
        #expect(after == 0)
        #expect(!isGiven)
    }

    @Test("removes connections that the server closes", arguments: [0, 1, 2])
    func closed(number: Int) async throws {
        let (idle, rest) = try await Scenario<(Int, [Bool])>.run { scenario, loop in
            let servers = try Servers(on: loop) { connection, _ in
                connection == number ? [.send(hello), .later(""), .end] : [.send(hello)]
            }
            Self.fill(servers, 3) { legs in
                loop.after(150) {
                    let idle = servers.pool.idleCount
                    let taken = (0..<3).map { _ in servers.pool.take(servers.origin) }
                    scenario.finish((idle, taken.map { $0?.socket.isOpen == true }))
                }
            }
        }
        #expect(idle == 2)
        #expect(rest == [true, true, false])
    }

    @Test("does not return a connection with unsolicited input")
    func unasked() async throws {
        let (idle, isGiven) = try await Scenario<(Int, Bool)>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello), .later(hello)] }
            Self.fill(servers, 1) { _ in
                loop.after(150) {
                    let isGiven = servers.pool.take(servers.origin) != nil
                    scenario.finish((servers.pool.idleCount, isGiven))
                }
            }
        }
        #expect(idle == 0)
        #expect(!isGiven)
    }

    @Test("closes all connections at the end")
    func closeAll() async throws {
        let (idle, open) = try await Scenario<(Int, [Bool])>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello)] }
            Self.fill(servers, 3) { legs in
                servers.pool.closeAll()
                scenario.finish((servers.pool.idleCount, legs.map(\.socket.isOpen)))
            }
        }
        #expect(idle == 0)
        #expect(open == [false, false, false])
    }
}

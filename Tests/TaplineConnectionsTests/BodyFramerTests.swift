// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet
import Testing

@Suite("Sent bodies")
struct BodyFramerTests {
    @Test(
        "are framed as their head announced, and counted with their framing",
        arguments: [
            (BodyFraming.length(5), "hello", 5), (.untilClose, "hello", 5),
            (.chunked, "3\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n", 26),
        ]
    )
    func framings(framing: BodyFraming, expected: String, count: Int) async throws {
        let (sent, wireBytes) = try await Scenario<(String, Int)>.run { scenario, loop in
            let counted = Counted()
            let servers = try Servers(on: loop) { _, _ in
                [.send("HTTP/1.1 204 No Content\r\n\r\n")]
            }
            servers.pool.connect(to: servers.origin, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                leg.begin(
                    ServerLog { _ in
                        scenario.finish((servers.server.received[0], counted.wireBytes))
                    },
                    RequestKind()
                )
                var framer = BodyFramer(framing, .request)
                framer.send("hel".utf8.span, on: leg.socket)
                framer.send("".utf8.span, on: leg.socket)
                framer.send("lo".utf8.span, on: leg.socket)
                var trailers = FieldSection()
                trailers.append(name: "A", value: "b")
                try? framer.end(trailers, on: leg.socket)
                counted.wireBytes = framer.wireBytes
            }
        }
        #expect(sent == expected)
        #expect(wireBytes == count)
    }
}

private final class Counted {
    var wireBytes = 0
}

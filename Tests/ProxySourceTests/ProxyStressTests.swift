// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

/// Clients that disconnect, half-close, pipeline, stall and leave at random, with numbered
/// requests.
///
/// Arguments: the proxy's port, the server's address, seconds, a seed. Prints the number of
/// requests that were sent completely, and of those, the number with a complete response.
private let randomClients = """
    import random, socket, struct, sys, threading, time
    port, server, seconds, seed = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    end, lock, sent, answered = time.time() + seconds, threading.Lock(), [0], [0]
    def run(number):
        chance = random.Random(seed * 1000 + number)
        while time.time() < end:
            s = socket.create_connection(("127.0.0.1", port), 10)
            body = b"b" * chance.choice((0, 10, 30000))
            head = "POST http://%s/%d HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: %d\\r\\n\\r\\n"
            request = (head % (server, chance.randrange(9), len(body))).encode() + body
            way = chance.randrange(6)
            try:
                if way == 0: s.sendall(request[:chance.randrange(len(request))])
                else:
                    count = 2 if way == 1 else 1
                    s.sendall(request * count)
                    with lock: sent[0] += count
                if way == 2: s.shutdown(socket.SHUT_WR)
                if way == 3: time.sleep(chance.random() / 50)
                if way in (1, 2, 4):
                    s.settimeout(0.5)
                    got = s.recv(65536)
                    if got.endswith(b"whole"):
                        with lock: answered[0] += 1
                if way in (0, 3, 5) and chance.random() < 0.5:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError: pass
            s.close()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(12)]
    for t in threads: t.start()
    for t in threads: t.join()
    print(sent[0], answered[0])
    """

@Suite("Clients and servers that fail at random")
struct ProxyStressTests {
    /// Seconds of load; a manual run sets more.
    private static let seconds = 3

    @Test("every exchange ends once, and all are counted", arguments: [1, 2])
    func stress(seed: Int) async throws {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"
        let server = try ScriptedServer { request, number in
            switch (number &* 7 &+ request.utf8.count) % 11 {
            case 0: .reset
            case 1: .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
            case 2: .sendAndClose(whole)
            case 3: .send(whole + "surplus")
            case 4: .sendAndClose("HTTP/1.1 2")
            case 5: .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
            default: .send(whole)
            }
        }
        var settings = ProxySettings()
        settings.timeouts.idle = Microseconds(2_000_000)
        let proxy = await ProxyHarness.start(settings, stages: [liveStage { _ in .proceed }])
        let output = try await command(
            "python3",
            [
                "-c", randomClients, "\(proxy.address.port)", "\(server.address)",
                "\(Self.seconds)", "\(seed)",
            ]
        )
        let (report, exchanges) = await proxy.stop()
        let answered = Int(output.split(whereSeparator: \.isWhitespace).last ?? "") ?? -1
        #expect(answered > 0)
        #expect(Set(exchanges.map(\.id)).count == exchanges.count)
        let completed = exchanges.count { $0.state == .completed }
        #expect(completed >= answered)
        #expect(exchanges.allSatisfy { ($0.error == nil) == ($0.state == .completed) })
        #expect(exchanges.allSatisfy { $0.state != .completed || $0.response != nil })
        #expect(report.isSuccess)
        #expect(proxy.opened.subtracting(exchanges.map(\.id)).isEmpty)
    }
}

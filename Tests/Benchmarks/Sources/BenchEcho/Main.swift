// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplineNet

/// An echo server on one event loop, which runs until it is killed; prints its port.
@main
struct Main {
    static func main() async throws {
        let group = try EventLoopGroup(threads: 1)
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        // `print` would buffer the port if standard output is not a terminal.
        let line = Array("\(bound.address.port)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, line, line.count)
        try await group.run { loop, _ in
            _ = try Listener(bound, on: loop) { connection in
                connection.delegate = Echo()
                connection.startReading()
            }
        }
    }
}

private final class Echo: ConnectionDelegate {
    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        connection.write(bytes)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}

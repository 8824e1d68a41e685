// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplineSystem
import Testing

/// Tests for what a client sends through a WebSocket on a stream before it has the response.
@Suite("Early bytes of a WebSocket over HTTP/2")
struct HTTP2EarlyBytesTests {
    private static let frames = 32_768
    private static let size = 64

    @Test("cost no more for each frame, however many wait")
    func manyFrames() async throws {
        typealias Result = (first: Int64, last: Int64, count: Int)
        let result = try await Scenario<Result>.run { scenario, loop in
            let window = Self.frames * Self.size
            let limits = HTTP2Limits(
                firstWindow: window,
                streamWindow: window,
                connectionWindow: 2 * window
            )
            let pair = try HTTP2Pair(on: loop, server: limits)
            let connection = pair.connection
            pair.owner.answer = { stream, _ in
                loop.afterThisEvent {
                    let quarters = (0..<4).map { _ in
                        cpuTime { connection.receive(Self.frames / 4, of: Self.size) }
                    }
                    stream.becomeTunnel()
                    scenario.finish((quarters[0], quarters[3], pair.owner.tunnelled))
                }
            }
            let client = pair.client
            var socket: HTTP2StreamLog?
            // The window counts once the client has acknowledged the settings.
            client.changed = {
                guard socket == nil else { return }
                socket = try? client.openSocket()
                client.move()
            }
            client.socket.startReading()
        }
        #expect(result.count == Self.frames * Self.size)
        #expect(result.last < 4 * result.first)
    }
}

extension HTTP2ClientConnection {
    /// Receives DATA frames of the first stream.
    fileprivate func receive(_ count: Int, of size: Int) {
        let frame = [0, 0, UInt8(size), 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0x61, count: size)
        let bytes = Array(repeatElement(frame, count: count).joined())
        connection(socket, received: bytes.span)
    }
}

/// Returns the microseconds of processor time that this thread needs for some work.
private func cpuTime(_ work: () -> Void) -> Int64 {
    let begun = ThreadClock.microseconds
    work()
    return ThreadClock.microseconds - begun
}

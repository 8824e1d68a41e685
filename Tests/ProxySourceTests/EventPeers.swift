// SPDX-License-Identifier: MIT

import Foundation
import TaplineCodings
import TaplineModel
import TaplineSystem
import TestSupport

@testable import ProxySource

/// A Python server that answers each request with a chunked event stream.
final class EventOrigin {
    private let server: PythonServer
    private let folder: TemporaryFolder

    /// The URL of the server.
    var url: String { "\(server.url)/events" }

    /// Serves these pieces, each in its own chunk and flushed by the coding, with a pause of
    /// `pause` seconds between them.
    init(
        _ pieces: [String],
        coding: ContentCoding = .identity,
        type: String = "text/event-stream",
        pause: Double = 0
    ) throws {
        folder = try TemporaryFolder()
        let lines = try Self.coded(pieces, coding).map { piece in
            piece.map { String(format: "%02x", $0) }.joined()
        }
        let file = try folder.write(lines.joined(separator: "\n"), to: "pieces")
        var head = "Content-Type: \(type)\r\n"
        if coding != .identity { head += "Content-Encoding: \(coding.name)\r\n" }
        server = try PythonServer(
            "event_server",
            arguments: [file, head, "\(pause)"]
        )
    }

    /// The pieces as they are sent on the wire.
    static func coded(_ pieces: [String], _ coding: ContentCoding) throws -> [[UInt8]] {
        guard coding != .identity else { return pieces.map { Array($0.utf8) } }
        let encoder = try ContentEncoder(coding)
        var result: [[UInt8]] = []
        for (position, piece) in pieces.enumerated() {
            var output: [UInt8] = []
            try encoder.encode(piece.utf8.span, appendingTo: &output)
            try encoder.flush(appendingTo: &output)
            if position == pieces.count - 1 { try encoder.finish(appendingTo: &output) }
            result.append(output)
        }
        return result
    }
}

// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// Sends a body on a connection in the framing that its head announced, and counts the bytes on the
/// wire.
///
/// A small struct: an exchange copies it, sends with the copy, and stores it again. Accesses to a
/// struct that is lent from a class would be checked for exclusivity.
package struct BodyFramer {
    /// The bytes on the wire so far, including framing.
    package private(set) var wireBytes = 0

    package let framing: BodyFraming
    private let side: HTTPError.Side

    package init(_ framing: BodyFraming, _ side: HTTPError.Side) {
        self.framing = framing
        self.side = side
    }

    /// Sends content.
    package mutating func send(_ content: Span<UInt8>, on socket: TCPConnection) {
        guard !content.isEmpty else { return }
        guard framing == .chunked else {
            wireBytes &+= content.count
            socket.write(content)
            return
        }
        var line: [UInt8] = []
        ChunkWriter.appendStart(content.count, to: &line)
        wireBytes &+= line.count + content.count + 2
        socket.write(line.span)
        socket.write(content)
        socket.write("\r\n".utf8.span)
    }

    /// Ends the body.
    package mutating func end(_ trailers: FieldSection, on socket: TCPConnection) throws(HTTPError)
    {
        guard framing == .chunked else { return }
        var end: [UInt8] = []
        try ChunkWriter.appendLast(trailers: trailers, side, to: &end)
        wireBytes &+= end.count
        socket.write(end.span)
    }
}

// SPDX-License-Identifier: MIT

package import TaplineHTTP2
package import TaplineModel

extension ByteCounts {
    /// Replaces the counts by those of a stream, which has no request line and no status line.
    ///
    /// - Parameters:
    ///   - up: The bytes from client to server.
    ///   - down: The bytes from server to client.
    /// - Returns: The sizes of the fields before compression.
    package mutating func count(
        up: HTTP2StreamBytes,
        down: HTTP2StreamBytes
    ) -> StreamLegs.FieldBytes {
        self.up = Direction(headers: up.headers, body: up.body)
        self.down = Direction(headers: down.headers, body: down.body)
        return StreamLegs.FieldBytes(up: up.fields, down: down.fields)
    }
}

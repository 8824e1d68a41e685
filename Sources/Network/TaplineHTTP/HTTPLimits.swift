// SPDX-License-Identifier: MIT

/// The limits of a message's framing, beyond which the message is refused.
///
/// **Units**: bytes, or a number of fields. Bodies have no limit here, since they are never held.
@frozen @usableFromInline
package struct HTTPLimits: Sendable, Equatable {
    /// The maximum size of a request line or status line, including its line end (414 for
    /// requests).
    @usableFromInline package var line: Int
    /// The maximum size of a head: start line, field lines and the empty line after them (431).
    @usableFromInline package var head: Int
    /// The maximum number of field lines in a head or in trailers (431).
    @usableFromInline package var fields: Int
    /// The maximum size of the line before a chunk: size, extensions and line end (400).
    @usableFromInline package var chunkLine: Int
    /// The maximum size of all chunk extensions of one body (400).
    @usableFromInline package var chunkExtensions: Int
    /// The maximum size of a trailer section (431).
    @usableFromInline package var trailers: Int

    /// Makes limits; real traffic does not reach the defaults.
    @inlinable
    package init(
        line: Int = 32 * 1024,
        head: Int = 64 * 1024,
        fields: Int = 256,
        chunkLine: Int = 4 * 1024,
        chunkExtensions: Int = 16 * 1024,
        trailers: Int = 16 * 1024
    ) {
        self.line = line
        self.head = head
        self.fields = fields
        self.chunkLine = chunkLine
        self.chunkExtensions = chunkExtensions
        self.trailers = trailers
    }
}

extension HTTPLimits {
    /// Writes a size as in a configuration: `64KiB`.
    package static func text(ofSize size: Int) -> String {
        for (unit, count) in [("MiB", 1 << 20), ("KiB", 1 << 10)]
        where size > 0 && size % count == 0 {
            return "\(size / count)\(unit)"
        }
        return "\(size)B"
    }
}

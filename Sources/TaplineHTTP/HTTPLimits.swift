// SPDX-License-Identifier: MIT

/// How much of a message's framing is read before it is refused.
///
/// **Units**: bytes, or a number of fields. Bodies have no limit here: they are never held.
@frozen
public struct HTTPLimits: Sendable, Equatable {
    /// The longest request line or status line, with its line end; a request that passes it is
    /// answered with 414.
    public var line: Int
    /// The longest head: start line, field lines and the empty line after them (431).
    public var head: Int
    /// The most field lines of a head, or of the trailers (431).
    public var fields: Int
    /// The longest line before a chunk: its size, its extensions and the line end (400).
    public var chunkLine: Int
    /// The bytes of all chunk extensions of one body together (400).
    public var chunkExtensions: Int
    /// The bytes of a trailer section (431).
    public var trailers: Int

    /// Limits; each has a default that real traffic does not meet.
    @inlinable
    public init(
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

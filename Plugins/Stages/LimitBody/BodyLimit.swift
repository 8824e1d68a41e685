// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What is kept of the bodies of one direction.
struct BodyLimit: Sendable {
    /// The most bytes that are kept.
    var maxBytes: Int
    /// Media types of which nothing is kept.
    var skip: [Glob]

    /// Cuts a body; its size on the wire and its coding stay what they were.
    func cut(_ body: inout Body, _ fields: borrowing FieldSection) {
        guard !body.bytes.isEmpty else { return }
        let limit = isSkipped(body, fields) ? 0 : maxBytes
        let kept = BodyLimit.keptCount(of: body.bytes.span, limit)
        guard kept < body.bytes.count else { return }
        // The last moment at which the size of a body that came decoded is known.
        if body.coding.isEmpty, !body.isTruncated, body.decodedSize == nil {
            body.decodedSize = body.bytes.count
        }
        body.bytes = Array(body.bytes.prefix(kept))
        body.isTruncated = true
    }

    /// Cuts a message.
    func cut(_ message: inout StreamMessage) {
        let kept = BodyLimit.keptCount(of: message.bytes.span, maxBytes)
        guard kept < message.bytes.count else { return }
        if message.size == nil, !message.isTruncated { message.size = message.bytes.count }
        message.bytes = Array(message.bytes.prefix(kept))
        message.isTruncated = true
    }

    private func isSkipped(_ body: borrowing Body, _ fields: borrowing FieldSection) -> Bool {
        guard !skip.isEmpty else { return false }
        let type = body.mediaType(fields)
        guard !type.isEmpty else { return false }
        for pattern in skip where pattern.matches(type.span) { return true }
        return false
    }

    /// How many bytes to keep: at most `limit`, and none of a character of UTF-8 that would be cut
    /// in two (RFC 3629 §3).
    static func keptCount(of bytes: Span<UInt8>, _ limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var kept = max(limit, 0)
        guard kept > 0, isContinuation(bytes[kept]) else { return kept }
        var steps = 0
        while kept > 0, steps < 3, isContinuation(bytes[kept]) {
            kept -= 1
            steps += 1
        }
        // Where no character begins here, this is no UTF-8, and nothing is to be kept together.
        return bytes[kept] >= 0xC0 && length(bytes[kept]) > steps ? kept : limit
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The length of the character that a byte begins.
    private static func length(_ byte: UInt8) -> Int {
        byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How much of the bodies of one direction is kept.
struct BodyLimit: Sendable {
    /// The maximum number of bytes to keep.
    var maxBytes: Int
    /// Media types whose bodies are dropped.
    var skip: [Glob]

    /// Truncates a body; its size on the wire and its coding stay unchanged.
    func cut(_ body: inout Body, _ fields: borrowing FieldSection) {
        guard !body.bytes.isEmpty else { return }
        let limit = isSkipped(body, fields) ? 0 : maxBytes
        let kept = BodyLimit.keptCount(of: body.bytes.span, limit)
        guard kept < body.bytes.count else { return }
        // After the cut, the size of a body that arrived decoded is no longer known.
        if body.coding.isEmpty, !body.isTruncated, body.decodedSize == nil {
            body.decodedSize = body.bytes.count
        }
        body.bytes = Array(body.bytes.prefix(kept))
        body.isTruncated = true
    }

    /// Truncates a message.
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

    /// Returns how many bytes to keep: at most `limit`, without splitting a UTF-8 character
    /// (RFC 3629 §3).
    static func keptCount(of bytes: Span<UInt8>, _ limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var kept = max(limit, 0)
        guard kept > 0, isContinuation(bytes[kept]) else { return kept }
        var steps = 0
        while kept > 0, steps < 3, isContinuation(bytes[kept]) {
            kept -= 1
            steps += 1
        }
        // Without a lead byte here, the bytes are not UTF-8, and the limit applies as it is.
        return bytes[kept] >= 0xC0 && length(bytes[kept]) > steps ? kept : limit
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Returns the length of the character that starts with `byte`.
    private static func length(_ byte: UInt8) -> Int {
        byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }
}

// SPDX-License-Identifier: MIT

extension ConfigNode {
    /// The place of some bytes of this scalar's text, for messages that point inside it.
    ///
    /// The whole scalar where the text and its notation in the file differ too much.
    public func location(at offset: Int, length: Int) -> SourceLocation {
        guard case .scalar(let text, _) = value else { return location }
        let source = location.source
        let end = location.byteOffset + location.length
        guard offset >= 0, length >= 0, end <= source.bytes.count else { return location }
        let raw = source.bytes[location.byteOffset..<end]
        let bytes = Array(text.utf8)
        for quote in [0, 1] where raw.count >= bytes.count + 2 * quote {
            let start = raw.startIndex + quote
            if raw[start..<(start + bytes.count)].elementsEqual(bytes), offset <= bytes.count {
                return source.location(
                    at: start + offset,
                    length: min(length, bytes.count - offset)
                )
            }
        }
        return location
    }
}

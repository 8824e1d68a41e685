// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The kind of an image and its size, as its first bytes state them.
struct ImageHeader: Equatable {
    /// The name of the kind.
    let kind: String
    /// Width and height in pixels; `nil` if the bytes do not contain them.
    let width: Int?
    let height: Int?

    private init(_ kind: String, _ size: (width: Int, height: Int)?) {
        self.kind = kind
        width = size?.width
        height = size?.height
    }

    /// Reads an image; `nil` if the bytes are not PNG, JPEG, GIF or WebP.
    init?(_ bytes: Span<UInt8>) {
        if Self.begins(bytes, with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self.init("PNG", Self.png(bytes))
        } else if Self.begins(bytes, with: [0xFF, 0xD8, 0xFF]) {
            self.init("JPEG", Self.jpeg(bytes))
        } else if bytes.starts(with: "GIF87a") || bytes.starts(with: "GIF89a") {
            self.init("GIF", Self.gif(bytes))
        } else if bytes.count >= 12, bytes.starts(with: "RIFF"),
            bytes.extracting(8..<12).equals("WEBP")
        {
            self.init("WebP", Self.webP(bytes))
        } else {
            return nil
        }
    }

    private static func begins(_ bytes: Span<UInt8>, with magic: [UInt8]) -> Bool {
        bytes.starts(with: magic.span)
    }

    /// The header chunk comes first.
    ///
    /// **Source**: PNG, third edition, section 11.2.1.
    private static func png(_ bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        guard bytes.count >= 24, bytes.extracting(12..<16).equals("IHDR") else { return nil }
        return (bytes.bigEndian(16, 4), bytes.bigEndian(20, 4))
    }

    /// The logical screen descriptor.
    ///
    /// **Source**: GIF89a, section 18.
    private static func gif(_ bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        guard bytes.count >= 10 else { return nil }
        return (bytes.littleEndian(6, 2), bytes.littleEndian(8, 2))
    }

    /// The frame header, after other segments.
    ///
    /// **Source**: ITU-T T.81, sections B.1 and B.2.2.
    private static func jpeg(_ bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            // C4, C8 and CC are tables and extensions.
            if 0xC0...0xCF ~= marker, marker != 0xC4, marker != 0xC8, marker != 0xCC {
                guard position + 9 <= bytes.count else { return nil }
                return (bytes.bigEndian(position + 7, 2), bytes.bigEndian(position + 5, 2))
            }
            // Markers without a segment.
            if marker == 0x01 || 0xD0...0xD9 ~= marker {
                position += 2
            } else {
                position += 2 + max(2, bytes.bigEndian(position + 2, 2))
            }
        }
        return nil
    }

    /// The first chunk: extended, lossless or lossy.
    ///
    /// **Source**: RFC 9649 §2.7, §3.4; RFC 6386 §9.1.
    private static func webP(_ bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        guard bytes.count >= 16 else { return nil }
        let chunk = bytes.extracting(12..<16)
        if chunk.equals("VP8X"), bytes.count >= 30 {
            return (bytes.littleEndian(24, 3) + 1, bytes.littleEndian(27, 3) + 1)
        }
        if chunk.equals("VP8L"), bytes.count >= 25, bytes[20] == 0x2F {
            let bits = bytes.littleEndian(21, 4)
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if chunk.equals("VP8 "), bytes.count >= 30, bytes[23] == 0x9D, bytes[24] == 0x01 {
            return (bytes.littleEndian(26, 2) & 0x3FFF, bytes.littleEndian(28, 2) & 0x3FFF)
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    fileprivate func bigEndian(_ start: Int, _ count: Int) -> Int {
        var value = 0
        for index in start..<start + count { value = value << 8 | Int(self[index]) }
        return value
    }

    fileprivate func littleEndian(_ start: Int, _ count: Int) -> Int {
        var value = 0
        for index in (start..<start + count).reversed() { value = value << 8 | Int(self[index]) }
        return value
    }
}

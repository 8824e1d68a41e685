// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Bodies that are masked whole because they cannot be searched for names: MessagePack, archives,
/// text in an unknown charset.
struct UnreadableBodies: Sendable {
    /// Whether they are masked; without the preset's rules, content in doubt is not masked.
    var areMasked = true
    /// Media types whose bodies are kept; `*` also matches a body without a type.
    var kept: [Glob] = []

    /// Whether a body is masked, by the value of its Content-Type.
    func masks(_ type: Span<UInt8>) -> Bool {
        guard areMasked, !kept.isEmpty else { return areMasked }
        let type = ByteString(type).mediaType
        for pattern in kept where pattern.matches(type.span) { return false }
        return true
    }
}

/// Distinguishes text from other data by its bytes.
enum Readability {
    /// Whether bytes of an unknown type are text.
    ///
    /// Text is UTF-8 without the control characters that only occur in other data; its last
    /// character may be cut. 8-bit text is accepted if it begins with ASCII and is mostly ASCII, as
    /// in languages with Latin letters.
    static func isText(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.nextNonTextControl(from: 0) == bytes.count,
            bytes.firstIndex(of: 0x7F) == nil
        else { return false }
        if bytes.isASCII || isUTF8(bytes) { return true }
        var high = 0
        for index in bytes.indices where bytes[index] >= 0x80 { high += 1 }
        return high * 4 <= bytes.count && bytes[0] < 0x80
    }

    /// Whether bytes that are declared as text are other data: they begin with control characters
    /// that do not occur in text (WHATWG MIME Sniffing Standard, 7.2).
    static func isBinary(_ bytes: Span<UInt8>) -> Bool {
        let head = bytes.extracting(0..<min(bytes.count, 512))
        return head.nextNonTextControl(from: 0) < head.count
    }

    /// Whether bytes are UTF-8; the last character may be cut.
    static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return error.kind == .truncatedScalar && error.byteOffsets.upperBound == bytes.count
        }
    }

    /// Whether bytes begin like an image, audio, video or a font (WHATWG MIME Sniffing Standard,
    /// 6.1 to 6.3).
    static func isMedia(_ bytes: Span<UInt8>) -> Bool {
        signatures.contains { offset, signature in
            guard bytes.count >= offset + signature.count else { return false }
            for index in signature.indices where bytes[offset + index] != signature[index] {
                return false
            }
            return true
        }
    }

    private static let signatures: [(offset: Int, bytes: [UInt8])] = [
        // PNG, JPEG, GIF, WebP. Icons and TrueType may begin like gRPC frames, so they are not
        // included.
        (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (0, [0xFF, 0xD8, 0xFF]),
        (0, Array("GIF87a".utf8)), (0, Array("GIF89a".utf8)), (8, Array("WEBPVP".utf8)),
        // MP4 and AVIF, WebM, Ogg, MP3 with a tag, WAV, AVI, FLAC.
        (4, Array("ftyp".utf8)), (0, [0x1A, 0x45, 0xDF, 0xA3]), (0, Array("OggS\0".utf8)),
        (0, Array("ID3".utf8)), (8, Array("WAVEfmt ".utf8)), (8, Array("AVI LIST".utf8)),
        (0, Array("fLaC".utf8)),
        // WOFF, OpenType.
        (0, Array("wOFF\0".utf8)), (0, Array("wOF2\0".utf8)), (0, Array("OTTO\0".utf8)),
    ]
}

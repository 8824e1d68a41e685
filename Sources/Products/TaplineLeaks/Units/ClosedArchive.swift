// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Archives within bytes, such as an uploaded zip, whose content is not decoded.
enum ClosedArchive {
    /// The size of the fixed part of a member's header.
    private static let headerBytes = 30
    /// The first bytes of 7z, rar, xz, lz4, bzip2 and lzip, which are recognised at the start only.
    private static let magics: [[UInt8]] = [
        [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07],
        [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], [0x04, 0x22, 0x4D, 0x18],
    ]
    private static let bzip2 = Array("1AY&SY".utf8)
    private static let lzip = Array("LZIP\u{1}".utf8)

    /// Returns whether a value in an archive may be missed by a search of the raw bytes.
    ///
    /// Members of a zip archive that are stored as they are can be searched.
    static func isPart(of bytes: Span<UInt8>) -> Bool {
        if magics.contains(where: { bytes.starts(with: $0.span) }) { return true }
        if isLetterMagic(bytes, around: 1) { return true }
        var position = 2
        // Text has no such byte.
        while let third = bytes.firstIndex(of: 0x03, inLongTextFrom: position) {
            if isCodedMember(bytes, at: third - 2) { return true }
            position = third + 1
        }
        return false
    }

    /// Returns whether one of several texts may be an archive that is recognised at its start.
    static func mayOccur(in texts: Span<UInt8>) -> Bool {
        if magics.contains(where: { texts.contains($0.span, ignoringCase: false) }) { return true }
        var position = 0
        while let letter = texts.firstIndex(of: UInt8(ascii: "Z"), inLongTextFrom: position) {
            if isLetterMagic(texts, around: letter) { return true }
            position = letter + 1
        }
        return false
    }

    /// Returns whether the `Z` of bzip2 (`BZh9`, then the magic number of the first block) or of
    /// lzip is at a position; there are other texts that begin with these letters.
    private static func isLetterMagic(_ bytes: Span<UInt8>, around letter: Int) -> Bool {
        guard letter >= 1, letter < bytes.count, bytes[letter] == UInt8(ascii: "Z") else {
            return false
        }
        if bytes[letter - 1] == UInt8(ascii: "B") {
            return bytes.extracting(min(letter + 3, bytes.count)...).starts(with: bzip2.span)
        }
        return bytes.extracting((letter - 1)...).starts(with: lzip.span)
    }

    /// Returns whether the header of a compressed or encrypted member begins at a position.
    ///
    /// **Source**: APPNOTE.TXT of PKWARE, 4.3.7.
    private static func isCodedMember(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start + headerBytes <= bytes.count else { return false }
        let header = bytes.extracting(start..<start + headerBytes)
        // The version that is needed is at most 6.3, and the method at most 99.
        guard header.starts(with: [0x50, 0x4B, 0x03, 0x04].span), header[4] <= 63, header[5] == 0,
            header[8] <= 99, header[9] == 0
        else { return false }
        let isEncrypted = header[6] & 1 != 0
        let nameBytes = Int(header[26]) | Int(header[27]) << 8
        return (header[8] != 0 || isEncrypted) && nameBytes > 0
    }
}

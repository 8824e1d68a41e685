// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// The kind of content of a stream, determined by its first bytes and its name.
enum ContentKind: Equatable {
    case text
    /// Bytes without lines.
    case binary
    case archive
    case database
    case compressed(ContentCoding)
    /// A format that is not supported, whose content cannot be decoded.
    case closed(String)

    /// The number of bytes needed to determine the kind.
    static let headBytes = 4096

    /// Determines the kind of a stream.
    ///
    /// - Parameters:
    ///   - head: Its first bytes; fewer than `headBytes` only if the stream is shorter.
    ///   - name: The name of the file, without the extensions of codings that were already decoded.
    init(_ head: Span<UInt8>, name: String) {
        if let coding = Self.coding(head, name) {
            self = .compressed(coding)
        } else if head.starts(with: "SQLite format 3\u{0}") {
            self = .database
        } else if let format = Self.closed.first(where: { head.starts(with: $0.magic.span) }) {
            self = .closed(format.name)
        } else if head.firstIndex(of: 0) != nil {
            self = .binary
        } else {
            self = Self.isArchive(head) ? .archive : .text
        }
    }

    /// Returns the coding by the first bytes; for brotli and deflate, by the name's extension.
    private static func coding(_ head: Span<UInt8>, _ name: String) -> ContentCoding? {
        if head.starts(with: [0x1F, 0x8B].span) { return .gzip }
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD].span) { return .zstd }
        // A frame without data may come first (RFC 8878 §3.1.2).
        if head.count >= 4, head[0] & 0xF0 == 0x50,
            head.extracting(1..<4).equals([0x2A, 0x4D, 0x18].span)
        {
            return .zstd
        }
        if name.hasSuffix(".br") { return .brotli }
        return name.hasSuffix(".deflate") || name.hasSuffix(".zz") ? .deflate : nil
    }

    /// Returns whether an object begins whose first key is `log`, or that spans several lines.
    private static func isArchive(_ head: Span<UInt8>) -> Bool {
        var index = head.starts(with: [0xEF, 0xBB, 0xBF].span) ? 3 : 0
        func skipBlanks() {
            while index < head.count, [0x20, 0x09, 0x0A, 0x0D].contains(head[index]) { index += 1 }
        }
        skipBlanks()
        guard index < head.count, head[index] == UInt8(ascii: "{") else { return false }
        index += 1
        skipBlanks()
        return head.extracting(min(index, head.count)...).starts(with: "\"log\"")
    }

    /// The magic numbers of formats that cannot be decoded.
    private static let closed: [(magic: [UInt8], name: String)] = [
        ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
        ([0x50, 0x4B, 0x05, 0x06], "a zip archive"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
        ([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07], "a rar archive"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "an xz file"),
        (Array("BZh".utf8), "a bzip2 file"),
        (Array("LZIP".utf8), "an lzip file"),
        ([0x04, 0x22, 0x4D, 0x18], "an lz4 file"),
        ([0x1F, 0x9D], "a compress(1) file"),
        (Array("age-encryption.org/".utf8), "an encrypted file"),
        (Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8), "an encrypted file"),
        (Array("-----BEGIN PGP MESSAGE-----".utf8), "an encrypted file"),
        (Array("Salted__".utf8), "an encrypted file"),
    ]
}

// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Personal e-mail addresses (RFC 5321 §4.1.2, without quoted names and address literals).
enum EmailAddress {
    /// Returns the address around an at sign.
    static func range(in text: Span<UInt8>, at position: Int) -> Range<Int>? {
        // This rules out most other at signs.
        guard ByteSet.localPart.contains(text.byte(position - 1)),
            ByteSet.label.contains(text.byte(position + 1)),
            let start = start(in: text, before: position),
            let end = end(in: text, after: position)
        else { return nil }
        // `git` is the user of shared repositories, not a person.
        if position - start == 3, text.hasBytes("git", at: start) { return nil }
        // Nor is a key in place of the user of a URL: `https://0123…@sentry.shop.test/1`.
        if text.byte(start - 1) == 0x2F, text.byte(start - 2) == 0x2F, position - start >= 16,
            text.end(of: .hex, from: start) == position
        {
            return nil
        }
        guard !Placeholder.isHash(text.extracting(start..<position)),
            !isReserved(text.extracting(position + 1..<end))
        else { return nil }
        return start..<end
    }

    /// Returns whether a domain is reserved (RFC 2606 §3) or a placeholder in forms and
    /// documentation.
    private static func isReserved(_ domain: Span<UInt8>) -> Bool {
        var top = domain.count - 1
        while top > 0, domain[top] != 0x2E { top -= 1 }
        let second = domain.start(of: .dashed, before: top, limit: 63)
        // This rules out most domains: each name on the list begins with one of these letters.
        switch domain[second] | 0x20 {
        case 0x64, 0x65, 0x79: break
        default: return false
        }
        return reserved.contains { name in
            let start = domain.count - name.count
            guard start == 0 || start > 0 && domain[start - 1] == 0x2E else { return false }
            return name.indices.allSatisfy { domain[start + $0] | 0x20 == name[$0] }
        }
    }

    private static let reserved = [
        "example.com", "example.net", "example.org", "yourcompany.com", "your-company.com",
        "yourdomain.com", "your-domain.com", "yourdomain.tld", "domain.tld", "yoursite.com",
        "yourwebsite.com", "your-website.com",
    ].map { Array($0.utf8) }

    private static func start(in text: Span<UInt8>, before position: Int) -> Int? {
        var start = text.start(of: .localPart, before: position, limit: 64)
        start += text.escapeLength(at: start)
        // Leading dots and dashes are punctuation.
        while start < position, !ByteSet.word.contains(text[start]) { start += 1 }
        return start < position && text[position - 1] != 0x2E ? start : nil
    }

    /// Returns the end of the longest run of labels that ends with a top-level domain.
    private static func end(in text: Span<UInt8>, after position: Int) -> Int? {
        var label = position + 1
        var found: Int?
        var count = 0
        while label - position < 254 {
            let end = labelEnd(in: text, from: label)
            guard end > label, end - label <= 63, text[label] != 0x2D, text[end - 1] != 0x2D else {
                break
            }
            count += 1
            // A label that continues with an underscore is not part of a domain.
            if count > 1 {
                let length = text.byte(end) == 0x5F ? nil : topLength(text.extracting(label..<end))
                found = length.map { label + $0 }
            }
            guard text.byte(end) == 0x2E, ByteSet.alphanumeric.contains(text.byte(end + 1)) else {
                break
            }
            label = end + 1
        }
        return found
    }

    /// Returns the position after a label.
    ///
    /// Characters outside ASCII must be valid UTF-8, because random bytes often look like an
    /// address otherwise. They must not be punctuation, because addresses occur in “quotes” of any
    /// language.
    private static func labelEnd(in text: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position - start < 64 {
            let byte = text.byte(position)
            if byte >= 0x80 {
                guard let length = text.scalarLength(at: position), !isPunctuation(text, position)
                else { break }
                position += length
            } else {
                guard ByteSet.dashed.contains(byte) else { break }
                position += 1
            }
        }
        return position
    }

    /// Returns whether a character outside ASCII is a quote, a dash, a blank or similar.
    ///
    /// Full-width forms count as well: domains do not contain them (RFC 5892 §2).
    private static func isPunctuation(_ text: Span<UInt8>, _ position: Int) -> Bool {
        switch (text[position], text.byte(position + 1)) {
        case (0xC2, let second): second != 0xB7
        case (0xE2, 0x80...0x81), (0xEF, 0xBB...0xBD), (0xEF, 0xBF): true
        case (0xE3, 0x80): !(0x85...0x87 ~= text.byte(position + 2))
        default: false
        }
    }

    /// Returns the length of the part of a label that may be a top-level domain.
    ///
    /// File name extensions (`logo@2x.png`) do not count. The part may be shorter than the label
    /// because text can follow without a blank in some languages.
    private static func topLength(_ label: Span<UInt8>) -> Int? {
        if label.count > 5, label.hasBytes("xn--", at: 0) { return label.count }
        var length = 0
        while length < label.count, label[length].isLetter { length += 1 }
        guard length >= 2, length == label.count || label[length] >= 0x80 else { return nil }
        let isFile = fileEndings.contains { ending in
            ending.count == length && ending.indices.allSatisfy { label[$0] | 0x20 == ending[$0] }
        }
        return isFile ? nil : length
    }

    private static let fileEndings = [
        "avif", "bmp", "css", "gif", "gz", "htm", "html", "ico", "jpeg", "jpg", "js", "json", "jsx",
        "map", "mjs", "pdf", "php", "png", "scss", "svg", "tgz", "tsx", "ttf", "webp", "woff",
        "woffb", "xml", "yaml", "yml",
    ].map { Array($0.utf8) }
}

extension ByteSet {
    fileprivate static let localPart = ByteSet("0-9A-Za-z_.+-") { byte in
        dotted.contains(byte) || byte == 0x2B
    }
    /// Bytes outside ASCII are for internationalised names (RFC 6531).
    fileprivate static let label = ByteSet("0-9A-Za-z-") { $0 >= 0x80 || dashed.contains($0) }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Reads the few elements that are needed from the XML of S3.
///
/// Not a parser of XML: the documents have no attributes, comments or nested elements of the same
/// name, and whatever else a server sends is treated as an answer without the element.
enum S3Answer {
    /// A part of an upload that the server has.
    struct Part: Equatable {
        let number: Int
        let tag: String
        let size: Int
    }

    /// Returns the text of the first element with a name; `nil` without one.
    static func text(_ name: String, in document: String) -> String? {
        elements(name, in: document[...], limit: 1).first.map { unescaped($0) }
    }

    /// Returns the parts in a list of them.
    static func parts(in document: String) -> [Part] {
        elements("Part", in: document[...], limit: 10_000).compactMap { element in
            let inner = String(element)
            guard let number = text("PartNumber", in: inner).flatMap({ Int($0) }),
                let tag = text("ETag", in: inner), let size = text("Size", in: inner),
                let size = Int(size)
            else { return nil }
            return Part(number: number, tag: tag, size: size)
        }
    }

    /// Returns the code of an error, if it looks like one; other texts are not shown.
    static func code(in document: String) -> String? {
        guard let code = text("Code", in: document), code.utf8.count <= 64 else { return nil }
        return code.utf8.allSatisfy { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 } ? code : nil
    }

    private static func elements(
        _ name: String,
        in document: Substring,
        limit: Int
    ) -> [Substring] {
        var found: [Substring] = []
        var rest = document
        while found.count < limit, let open = rest.firstRange(of: "<\(name)>") {
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "</\(name)>") else { break }
            found.append(rest[..<close.lowerBound])
            rest = rest[close.upperBound...]
        }
        return found
    }

    private static func unescaped(_ text: Substring) -> String {
        var text = String(text)
        for (escape, character) in [
            ("&quot;", "\""), ("&#34;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
        ] {
            text = text.replacing(escape, with: character)
        }
        return text
    }
}

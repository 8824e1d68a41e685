// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Scans self-contained JSON objects: lines of NDJSON and JSON logs, entries of a HAR.
///
/// It scans the text itself, each string with its escapes decoded, and each body with its codings
/// decoded, so that a hit gets the place that the format defines.
///
/// **Isolation.** Used by one thread at a time.
struct RecordScan: ~Copyable {
    private let scanner: UnitScanner
    private var parser = JSONParser(surrogates: .replace)
    /// The parser keeps its memory after objects up to this size.
    private static let keptBytes = 1 << 20

    init(_ scanner: UnitScanner) { self.scanner = scanner }

    /// Finds everything in an object.
    ///
    /// - Parameters:
    ///   - bytes: The object, surrounded only by white space.
    ///   - prefix: The start of all paths.
    ///   - acceptsArrays: Whether it may be an array instead.
    /// - Returns: The hits, each with its path and the record's id; `nil` if the bytes are not a
    ///   JSON object.
    mutating func scan(
        _ bytes: Span<UInt8>,
        under prefix: String = "",
        acceptingArrays acceptsArrays: Bool = false
    ) -> [StreamHit]? {
        defer {
            if bytes.count > Self.keptBytes { parser.shrink(toDocumentsOf: Self.keptBytes) }
        }
        let scanner = scanner
        guard let document = try? parser.parse(bytes) else { return nil }
        let kind = document.root.kind
        guard kind == .object || acceptsArrays && kind == .array else { return nil }
        var hits = scanner.scan(bytes)
        for index in 1..<max(document.count, 1) {
            let token = document.value(at: index)
            guard token.kind == .string else { continue }
            if token.isEscaped {
                hits.add(
                    decoded: scanner.scan(token.bytes),
                    of: Self.source(of: token, bytes),
                    "json"
                )
            }
            Self.addBody(document, index, bytes, scanner, &hits)
        }
        guard !hits.isEmpty else { return [] }
        let id = RecordPath.id(of: document.root)
        let names = RecordPath(document: document, prefix: prefix)
        var found: [StreamHit] = []
        for hit in hits.inOrder {
            var place = LeakPlace()
            place.record = id
            place.path = names.path(at: hit.range.lowerBound)
            found.append((hit, place))
        }
        return found
    }

    /// Returns the range of a string in the text, without its quotes.
    static func source(of token: JSONValue, _ bytes: Span<UInt8>) -> Range<Int> {
        guard token.isEscaped else { return token.offset..<token.offset + token.bytes.count }
        var end = token.offset
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return token.offset..<min(end, bytes.count)
    }

    // MARK: Bodies

    /// Scans the value of a key as a body if the key or its siblings declare it as base64 or coded.
    private static func addBody(
        _ document: JSONDocument,
        _ index: Int,
        _ bytes: Span<UInt8>,
        _ scanner: UnitScanner,
        _ hits: inout [Hit]
    ) {
        let key = document.value(at: index)
        let isBase64 = key.matches("base64")
        guard isBase64 || key.matches("text") || key.matches("content"), index + 1 < document.count
        else { return }
        let value = document.value(at: index + 1)
        guard value.kind == .string, !value.bytes.isEmpty else { return }
        let codings = codings(from: index + 2, document)
        guard isBase64 || !codings.isEmpty || saysBase64(around: index, document) else {
            return
        }
        var decoded: [UInt8] = []
        if Base64.decode(value.bytes, .lenient, into: &decoded) != nil {
            // A HAR file may split content into chunks.
            guard let joined = HARChunks.decode(value.bytes) else { return }
            decoded = joined
        }
        let range = source(of: value, bytes)
        hits.add(decoded: scanner.scan(decoded.span), of: range, "base64")
        let limit = scanner.limits.maxDecodedBytes
        for list in codings.isEmpty ? guesses(decoded.span) : [codings] {
            guard let body = DecodedBody(decoded.span, list, limit: limit) else {
                // Text is not in the coding that it declares.
                if !isValidUTF8(decoded.span) { scanner.noteLimit() }
                continue
            }
            switch body.end {
            case .complete: break
            case .limit: scanner.noteLimit()
            // Bytes that are no brotli may still decode to something at first.
            case .damaged where codings.isEmpty: continue
            case .damaged: break
            }
            let name = list.reversed().map(\.name).joined(separator: " ")
            var inner: [Hit] = []
            inner.add(decoded: scanner.scan(body.bytes.span), of: 0..<1, name)
            hits.add(decoded: inner, of: range, "base64")
        }
    }

    /// Returns the codings in a body's `coding`, which comes after the bytes in the same object.
    static func codings(
        from start: Int,
        _ document: JSONDocument
    ) -> [ContentCoding] {
        var index = start
        while index + 1 < document.count, index < start + 16 {
            let key = document.value(at: index)
            let value = document.value(at: index + 1)
            guard key.kind == .string, value.kind != .object, value.kind != .array else { break }
            if key.matches("coding"), value.kind == .string {
                return ContentCoding.list(value.bytes)
            }
            index += 2
        }
        return []
    }

    /// Returns whether `"encoding":"base64"` is next to a key, as in HAR.
    static func saysBase64(around index: Int, _ document: JSONDocument) -> Bool {
        for other in max(index - 8, 1)..<min(index + 10, document.count - 1)
        where document.value(at: other).matches("encoding") {
            return document.value(at: other + 1).matches("base64")
        }
        return false
    }

    /// Returns the codings to try; brotli has no magic number and cannot be recognised otherwise.
    static func guesses(_ bytes: Span<UInt8>) -> [[ContentCoding]] {
        for index in bytes.indices where bytes[index] < 0x09 || bytes[index] >= 0x80 {
            return [[.brotli]]
        }
        return []
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Finds what has to be replaced in JSON objects and arrays, so that they stay valid.
///
/// Strings are decoded, changed and escaped again. Bodies are decoded as `RecordScan` does.
///
/// **Isolation.** Used by one thread at a time.
struct JSONEraser: ~Copyable {
    private var parser = JSONParser(surrogates: .replace)
    /// The parser keeps its memory after objects up to this size.
    private static let keptBytes = 1 << 20

    /// Finds the replacements in an object.
    ///
    /// - Parameters:
    ///   - bytes: The object.
    ///   - eraser: Erases in strings and bodies; must not use this value meanwhile.
    ///   - covered: Ranges whose strings, numbers and literals are replaced in any case.
    /// - Returns: The replacements, in order; `nil` if the bytes are not JSON.
    mutating func replacements(
        in bytes: Span<UInt8>,
        by eraser: ValueEraser,
        covering covered: [Range<Int>]
    ) -> [Replacement]? {
        defer {
            if bytes.count > Self.keptBytes { parser.shrink(toDocumentsOf: Self.keptBytes) }
        }
        guard let document = try? parser.parse(bytes) else { return nil }
        var found: [Replacement] = []
        for index in 1..<max(document.count, 1) {
            let token = document.value(at: index)
            if token.kind == .string {
                let range = RecordScan.source(of: token, bytes)
                let isCovered = covered.contains { $0.overlaps(range) }
                if !isCovered, Self.addBody(document, index, bytes, eraser, &found) { continue }
                Self.addText(document, index, bytes, eraser, isCovered, &found)
            } else if token.kind != .object, token.kind != .array {
                // A number, or `true`, `false` or `null`.
                let range = token.offset..<token.offset + token.bytes.count
                let isCovered = covered.contains { $0.overlaps(range) }
                if isCovered || !eraser.scanner.scanPlain(token.bytes).isEmpty {
                    found.append(Replacement(range: range, bytes: [UInt8(ascii: "0")]))
                }
            }
        }
        return Replacement.separated(found)
    }

    /// Returns how many members of objects have the name of an earlier member; of these, programs
    /// read one.
    mutating func repeatedNames(in bytes: Span<UInt8>) -> Int {
        defer {
            if bytes.count > Self.keptBytes { parser.shrink(toDocumentsOf: Self.keptBytes) }
        }
        guard let document = try? parser.parse(bytes) else { return 0 }
        var count = 0
        for index in 0..<document.count where document.value(at: index).kind == .object {
            var names: Set<[UInt8]> = []
            var members = document.value(at: index).members
            while let member = members.next() {
                if !names.insert(Array(copying: member.key.bytes)).inserted { count += 1 }
            }
        }
        return count
    }

    /// Erases in a string, key or value.
    private static func addText(
        _ document: JSONDocument,
        _ index: Int,
        _ bytes: Span<UInt8>,
        _ eraser: ValueEraser,
        _ isCovered: Bool,
        _ found: inout [Replacement]
    ) {
        let token = document.value(at: index)
        let isText = document.value(at: index - 1).matches("text")
        var text = eraser.mask
        if !isCovered, isText, let erased = eraser.erase(jsonText: token.bytes) {
            text = erased.bytes
        } else if !isCovered {
            let inner = eraser.replacements(in: token.bytes)
            guard !inner.isEmpty else { return }
            text = Replacement.apply(inner, to: token.bytes)
        }
        var writer = JSONWriter(capacity: text.count + 64)
        if !writer.string(ifValid: text.span) {
            text = eraser.mask
            writer.string(text.span)
        }
        let quoted = writer.bytes
        let content = Array(copying: quoted.extracting(1..<quoted.count - 1))
        let range = RecordScan.source(of: token, bytes)
        found.append(Replacement(range: range, bytes: content))
        if isText { addFacts(of: text, document, after: index, bytes, &found) }
    }

    // MARK: Bodies

    /// Erases in a body in base64; returns `false` if the string is no such body, or has no value
    /// in it.
    private static func addBody(
        _ document: JSONDocument,
        _ index: Int,
        _ bytes: Span<UInt8>,
        _ eraser: ValueEraser,
        _ found: inout [Replacement]
    ) -> Bool {
        guard index >= 2 else { return false }
        let key = document.value(at: index - 1)
        let isBase64 = key.matches("base64")
        guard isBase64 || key.matches("text") || key.matches("content") else { return false }
        let token = document.value(at: index)
        let codings = RecordScan.codings(from: index + 1, document)
        guard
            isBase64 || !codings.isEmpty || RecordScan.saysBase64(around: index - 1, document)
        else { return false }
        var decoded: [UInt8] = []
        // Content in chunks, as in some HAR files, is treated as text.
        guard Base64.decode(token.bytes, .lenient, into: &decoded) == nil else { return false }
        let lists = codings.isEmpty ? RecordScan.guesses(decoded.span) : [codings]
        guard let erased = eraser.erase(bodyText: decoded.span, codings: lists) else {
            return false
        }
        var coded: [UInt8] = []
        Base64.encode(erased.bytes.span, into: &coded)
        let range = RecordScan.source(of: token, bytes)
        found.append(Replacement(range: range, bytes: coded))
        addFacts(of: erased.bytes, document, after: index, bytes, &found)
        return true
    }

    /// Adapts the hash and the size of a changed body, which come after it in the same object.
    ///
    /// The hash of the former body would allow guesses at the value to be confirmed.
    private static func addFacts(
        of body: [UInt8],
        _ document: JSONDocument,
        after index: Int,
        _ bytes: Span<UInt8>,
        _ found: inout [Replacement]
    ) {
        var position = index + 1
        while position + 1 < document.count, position < index + 16 {
            let key = document.value(at: position)
            let value = document.value(at: position + 1)
            guard key.kind == .string, value.kind != .object, value.kind != .array else { return }
            if key.matches("sha256"), value.kind == .string {
                let hash = Array(SHA256.hash(body.span).hex.utf8)
                let range = RecordScan.source(of: value, bytes)
                found.append(Replacement(range: range, bytes: hash))
            } else if key.matches("kept"), value.kind == .number {
                let range = value.offset..<value.offset + value.bytes.count
                found.append(Replacement(range: range, bytes: Array("\(body.count)".utf8)))
            }
            position += 2
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds credentials that name their scheme (RFC 9110 §11.4): `Bearer …`, `Basic …`, also as the
/// protocols of a WebSocket that cannot set fields: `bearer, …`.
///
/// The rules for the names `bearer` and `authorization` hold for them, where there are any.
struct CredentialEditor: Sendable {
    private let bearer: Rule?
    private let authorization: Rule?

    /// Those of the rules for free text that hold.
    init(_ text: NameRules) {
        bearer = text.rule(for: "bearer".utf8.span)
        authorization = text.rule(for: "authorization".utf8.span)
    }

    /// Edits a text that begins with a scheme; tells whether it does.
    func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        guard range.count > 6, let (length, rule) = scheme(bytes.extracting(range)) else {
            return false
        }
        var start = range.lowerBound + length
        guard bytes[start].isBlank || bytes[start] == .ascii(",") else { return false }
        while start < range.upperBound, bytes[start].isBlank || bytes[start] == .ascii(",") {
            start += 1
        }
        if start < range.upperBound, bytes[start] == .ascii("\"") { start += 1 }
        var end = start
        while end < range.upperBound, CredentialEditor.isTokenByte(bytes[end]) { end += 1 }
        guard end > start else { return false }
        // `Token token="…"` is parameters, whose names count.
        if bytes[end - 1] == .ascii("="), end < range.upperBound, bytes[end] == .ascii("\"") {
            return false
        }
        rules.replace(bytes, start..<end, rule, notation, &edits)
        return true
    }

    private func scheme(_ text: Span<UInt8>) -> (Int, Rule)? {
        switch text[0] | 0x20 {
        case .ascii("b"):
            if let bearer, text.extracting(0..<6).equalsIgnoringCase("bearer") {
                return (6, bearer)
            }
            if let authorization, text.extracting(0..<5).equalsIgnoringCase("basic") {
                return (5, authorization)
            }
        case .ascii("t"):
            if let authorization, text.extracting(0..<5).equalsIgnoringCase("token"),
                text.count > 20
            {
                return (5, authorization)
            }
        default: break
        }
        return nil
    }

    /// The characters of token68 (RFC 9110 §11.2), and those that servers use beside them.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3D, 0x3F...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

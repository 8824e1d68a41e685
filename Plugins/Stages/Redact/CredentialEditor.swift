// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds credentials that name their scheme (RFC 9110 §11.4): `Bearer …`, `Basic …` and
/// `Digest …, response="…"`.
///
/// Also finds those passed as WebSocket protocols, because scripts cannot set fields there:
/// `graphql-ws, bearer, …`. The rules for the names `bearer` and `authorization` apply to them, if
/// there are any.
struct CredentialEditor: Sendable {
    private let bearer: Rule?
    private let authorization: Rule?

    /// Selects the applicable rules from those for free text.
    init(_ text: NameRules) {
        bearer = text.rule(for: "bearer".utf8.span)
        authorization = text.rule(for: "authorization".utf8.span)
    }

    /// A scheme and its kind of tokens.
    private struct Scheme {
        let length: Int
        let rule: Rule
        var tokens = Tokens.any

        /// The kinds of tokens that a scheme has.
        enum Tokens {
            case any
            /// A name and a password in base64 (RFC 7617 §2).
            case pair
            /// The scheme is also a word of prose and the name of values: `Token expired`,
            /// `token=x`.
            case unlikeWords
            /// The scheme is also a word of prose.
            case within
            /// At least 16 bytes.
            case long
            /// Parameters; all of them are redacted if one of them is a signature.
            case parameters
        }
    }

    /// Edits the credentials of a text.
    ///
    /// They are at its beginning, after each comma and line end, and elsewhere if the name of a
    /// scheme is followed by something that can only be a token.
    func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        guard bearer != nil || authorization != nil, range.count > 6 else { return }
        let text = bytes.extracting(0..<range.upperBound)
        var position = editPart(bytes, range, notation, rules, &edits)
        var mark = text.nextCredentialMark(from: position)
        while mark < range.upperBound {
            position = mark + 1
            if bytes[mark] == .ascii(",") || bytes[mark] == 0x0A {
                let rest = position..<range.upperBound
                position = editPart(bytes, rest, notation, rules, &edits)
            } else if CredentialEditor.mayGoOn(text, mark) {
                let end = editWithin(bytes, range, mark, notation, rules, &edits)
                position = max(end, position)
            }
            mark = text.nextCredentialMark(from: position)
        }
    }

    /// Whether a third letter follows the two letters of a scheme at a position.
    @inline(__always)
    private static func mayGoOn(_ text: Span<UInt8>, _ mark: Int) -> Bool {
        guard mark + 2 < text.count else { return false }
        let third = text[mark + 2] | 0x20
        switch text[mark] | 0x20 {
        // `Bearer` and `Basic`, `JWT`, `DPoP`.
        case .ascii("b"): return third == .ascii("a") || third == .ascii("s")
        case .ascii("j"): return third == .ascii("t")
        case .ascii("d"): return third == .ascii("o")
        // `Token`, `ApiKey`.
        default: return third == .ascii("n") || third == .ascii("y")
        }
    }

    /// Edits a part of a text that begins with a scheme; returns where to continue.
    private func editPart(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Int {
        var start = range.lowerBound
        while start < range.upperBound, bytes[start].isBlank { start += 1 }
        let text = bytes.extracting(start..<range.upperBound)
        guard text.count > 6, CredentialEditor.mayBegin(text), let scheme = scheme(text) else {
            return start
        }
        return edit(bytes, start..<range.upperBound, scheme, notation, rules, &edits)
    }

    /// Edits a credential within a text whose scheme contains the letters at a position; returns
    /// where to continue.
    private func editWithin(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ start: Int,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Int {
        var start = start
        if bytes[start] | 0x20 == .ascii("k") {
            // `Token`, `ApiKey`, `Api-Key`.
            let isToken = start >= range.lowerBound + 2 && bytes[start - 1] | 0x20 == .ascii("o")
            let isJoined = start > range.lowerBound && bytes[start - 1] == .ascii("-")
            start -= isToken ? 2 : isJoined ? 4 : 3
        }
        guard start > range.lowerBound, !CredentialEditor.isWord(bytes[start - 1]),
            var scheme = scheme(bytes.extracting(start..<range.upperBound))
        else { return start }
        if scheme.tokens == .any || scheme.tokens == .pair { scheme.tokens = .within }
        return edit(bytes, start..<range.upperBound, scheme, notation, rules, &edits)
    }

    /// Edits what follows a scheme at the beginning of a range; returns where to continue.
    private func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ scheme: Scheme,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Int {
        let name = range.lowerBound + scheme.length
        guard let start = startOfToken(bytes, name..<range.upperBound, scheme) else { return name }
        if scheme.tokens == .parameters {
            let rest = bytes.trimmed(start..<CredentialEditor.endOfLine(bytes, start, range))
            // Without a signature, the line need not be searched again for each scheme in it.
            guard CredentialEditor.hasSignature(bytes.extracting(rest)) else {
                return rest.count > 4096 ? rest.upperBound : name
            }
            rules.replace(bytes, rest, scheme.rule, notation, &edits)
            return rest.upperBound
        }
        guard !CredentialEditor.isParameter(bytes.extracting(start..<range.upperBound)) else {
            return name
        }
        var place = CredentialEditor.token(bytes, start, range)
        if scheme.tokens == .any || scheme.tokens == .pair || scheme.tokens == .within,
            CredentialEditor.isWordOfProse(bytes.extracting(place))
        {
            // `Bearer token x`; in `Bearer realm`, the word may be the token.
            var next = place.upperBound
            while next < range.upperBound, bytes[next].isBlank { next += 1 }
            let second = CredentialEditor.token(bytes, next, range)
            if !second.isEmpty {
                guard TextEditor.isUnlikeProse(bytes.extracting(second)) else { return name }
                place = second
            }
        }
        let token = bytes.extracting(place)
        guard !token.isEmpty else { return name }
        switch scheme.tokens {
        case .unlikeWords, .within: guard CredentialEditor.isUnlikeWord(token) else { return name }
        case .long: guard token.count >= 16 else { return name }
        case .pair: guard CredentialEditor.mayBePair(token) else { return name }
        case .any, .parameters: break
        }
        rules.replace(bytes, place, scheme.rule, notation, &edits)
        return place.upperBound
    }

    private static func token(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ range: Range<Int>
    ) -> Range<Int> {
        var end = start
        while end < range.upperBound, isTokenByte(bytes[end]) { end += 1 }
        return start..<end
    }

    /// Whether a token has only letters, all lowercase except perhaps the first.
    private static func isWordOfProse(_ token: Span<UInt8>) -> Bool {
        for index in token.indices {
            guard 0x61...0x7A ~= token[index] || index == 0 && 0x41...0x5A ~= token[index] else {
                return false
            }
        }
        return !token.isEmpty
    }

    /// Whether a token may be a name and a password in base64.
    ///
    /// It must be long, or have a digit, padding, or capitals among lowercase letters, because
    /// `Basic` is also a name for many other things.
    private static func mayBePair(_ token: Span<UInt8>) -> Bool {
        if token.count >= 16 { return true }
        var hasSmall = false
        var hasLateCapital = false
        for index in token.indices {
            switch token[index] {
            case 0x61...0x7A: hasSmall = true
            case 0x41...0x5A:
                // A capital after a hyphen is common in prose: `T-Shirt`.
                let isLate = index > 0 && token[index - 1] != .ascii("-")
                hasLateCapital = hasLateCapital || isLate
            case .ascii("-"), .ascii("."), .ascii("'"), .ascii("/"): break
            default: return true
            }
        }
        return hasSmall && hasLateCapital
    }

    /// Whether a text may begin with a scheme, after any blanks; checks its first three letters.
    static func mayBegin(_ text: Span<UInt8>) -> Bool {
        var start = 0
        while start < text.count, text[start].isBlank { start += 1 }
        guard start + 2 < text.count, CredentialEditor.beginsSchemes(text[start]) else {
            return false
        }
        let letters = (text[start] | 0x20, text[start + 1] | 0x20, text[start + 2] | 0x20)
        switch (letters.0, letters.1, letters.2) {
        case (.ascii("a"), .ascii("w"), .ascii("s")), (.ascii("a"), .ascii("p"), .ascii("i")),
            (.ascii("b"), .ascii("e"), .ascii("a")), (.ascii("b"), .ascii("a"), .ascii("s")),
            (.ascii("d"), .ascii("i"), .ascii("g")), (.ascii("d"), .ascii("p"), .ascii("o")),
            (.ascii("h"), .ascii("a"), .ascii("w")), (.ascii("j"), .ascii("w"), .ascii("t")),
            (.ascii("n"), .ascii("e"), .ascii("g")), (.ascii("n"), .ascii("t"), .ascii("l")),
            (.ascii("o"), .ascii("a"), .ascii("u")), (.ascii("s"), .ascii("s"), .ascii("w")),
            (.ascii("s"), .ascii("p"), .ascii("l")), (.ascii("t"), .ascii("o"), .ascii("k")):
            return true
        default: return false
        }
    }

    /// Whether the name of a scheme begins with a letter: a, b, d, h, j, n, o, s or t.
    @inline(__always)
    private static func beginsSchemes(_ letter: UInt8) -> Bool {
        let letters: UInt32 = 0x0018_C516
        return letter & 0x40 != 0 && letters >> UInt32(letter & 0x1F) & 1 == 1
    }

    /// Whether a text begins with a scheme followed by a blank or a separator.
    func begins(_ text: Span<UInt8>) -> Bool {
        guard text.count > 6, let scheme = scheme(text) else { return false }
        return startOfToken(text, scheme.length..<text.count, scheme) != nil
    }

    /// The rule for credentials without a scheme: `-u user:password`.
    var plainRule: Rule? { authorization }

    private func scheme(_ text: Span<UInt8>) -> Scheme? {
        func begins(_ name: String) -> Bool {
            let count = name.utf8.count
            return text.count > count && text.extracting(0..<count).equalsIgnoringCase(name)
        }
        func scheme(_ name: String, _ rule: Rule?, _ tokens: Scheme.Tokens) -> Scheme? {
            guard let rule, begins(name) else { return nil }
            return Scheme(length: name.utf8.count, rule: rule, tokens: tokens)
        }
        switch text[0] | 0x20 {
        case .ascii("b"):
            return scheme("bearer", bearer, .any) ?? scheme("basic", authorization, .pair)
        case .ascii("t"): return scheme("token", authorization, .unlikeWords)
        case .ascii("j"): return scheme("jwt", authorization, .unlikeWords)
        case .ascii("s"):
            return scheme("ssws", authorization, .unlikeWords)
                ?? scheme("splunk", authorization, .unlikeWords)
        case .ascii("o"): return scheme("oauth", authorization, .parameters)
        // RFC 4559 §4 and its predecessor; both sides send tokens.
        case .ascii("n"):
            return scheme("negotiate", authorization, .long) ?? scheme("ntlm", authorization, .long)
        // RFC 7616 §3.4, RFC 9449 §7.1.
        case .ascii("d"):
            return scheme("digest", authorization, .parameters)
                ?? scheme("dpop", authorization, .long)
        case .ascii("h"): return scheme("hawk", authorization, .parameters)
        case .ascii("a"):
            return scheme("aws4-hmac-sha256", authorization, .parameters)
                ?? scheme("apikey", authorization, .unlikeWords)
                ?? scheme("api-key", authorization, .unlikeWords)
        default: return nil
        }
    }
}

// MARK: - Bytes

extension CredentialEditor {
    /// Returns where the token begins, after blanks, a comma, `=`, `:`, `:=`, `=>` and a quote.
    ///
    /// - Returns: `nil` if neither a blank nor one of these follows the scheme, or if it is a name
    ///   with its value: `token=x`.
    private func startOfToken(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ scheme: Scheme
    ) -> Int? {
        var start = range.lowerBound
        while start < range.upperBound {
            switch bytes[start] {
            case .ascii("=") where scheme.tokens == .unlikeWords,
                .ascii(":") where scheme.tokens == .unlikeWords:
                return nil
            case 0x20, 0x09, .ascii(","), .ascii("="), .ascii(":"): start += 1
            case .ascii(">") where start > range.lowerBound && bytes[start - 1] == .ascii("="):
                start += 1
            default:
                guard start > range.lowerBound else { return nil }
                let isQuoted = bytes[start] == .ascii("\"") || bytes[start] == .ascii("'")
                return isQuoted ? start + 1 : start
            }
        }
        return nil
    }

    private static func endOfLine(_ bytes: Span<UInt8>, _ start: Int, _ range: Range<Int>) -> Int {
        var end = start
        while end < range.upperBound, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        return end
    }

    /// Whether a text begins with a parameter, such as `realm=x` of a challenge or `token="…"`, by
    /// its name.
    private static func isParameter(_ text: Span<UInt8>) -> Bool {
        var equals = 0
        while equals < text.count, equals < 64,
            isNameByte(text[equals]) || text[equals] == .ascii("_")
        {
            equals += 1
        }
        guard equals > 0, equals + 1 < text.count, text[equals] == .ascii("=") else { return false }
        // Padding ends a token.
        let next = text[equals + 1]
        return next == .ascii("\"") || next == .ascii("'")
            || next != .ascii("=") && isTokenByte(next)
    }

    /// Whether a token cannot be a word of prose: it has at least 16 bytes, or at least 6 with a
    /// digit, punctuation or a capital inside.
    private static func isUnlikeWord(_ token: Span<UInt8>) -> Bool {
        guard token.count >= 6 else { return false }
        if token.count >= 16 { return true }
        var hasLateCapital = false
        for index in token.indices {
            switch token[index] {
            case 0x61...0x7A, 0x80...: break
            case 0x41...0x5A: hasLateCapital = hasLateCapital || index > 0
            default: if token[index].isDigit || index + 1 < token.count { return true }
            }
        }
        return hasLateCapital
    }

    /// Whether there is a parameter that proves something; challenges have none.
    private static func hasSignature(_ text: Span<UInt8>) -> Bool {
        var position = 0
        while let equals = text.firstIndex(of: .ascii("="), from: position) {
            var start = equals
            while start > position, isNameByte(text[start - 1]) { start -= 1 }
            let name = text.extracting(start..<equals)
            for known in ["response", "mac", "signature"] where name.equalsIgnoringCase(known) {
                return true
            }
            position = equals + 1
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20 || byte == .ascii("-")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isDigit || byte >= 0x80 || 0x61...0x7A ~= byte | 0x20 || byte == .ascii("_")
    }

    /// Whether a byte is a token68 character (RFC 9110 §11.2) or another one that servers use.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3D, 0x3F...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

// MARK: - Protocols of WebSockets

extension CredentialEditor {
    /// Edits a list of protocols: the one after a name of a rule (`bearer, …`), and the part after
    /// such a name within a protocol with dots (`base64url.bearer.authorization.k8s.io.…`).
    func editProtocols(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        var start = range.lowerBound
        var named: Rule?
        while start < range.upperBound {
            let end =
                bytes.extracting(0..<range.upperBound).firstIndex(of: .ascii(","), from: start)
                ?? range.upperBound
            let item = bytes.trimmed(start..<end)
            start = end + 1
            guard !item.isEmpty else { continue }
            if let rule = named {
                named = nil
                rules.replace(bytes, item, rule, .plain, &edits)
                continue
            }
            named = rules.text.rule(for: bytes.extracting(item))
            if named == nil { editParts(bytes, item, rules, &edits) }
        }
    }

    /// Edits the part after the last dot if a rule names an earlier part.
    private func editParts(
        _ bytes: Span<UInt8>,
        _ item: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        var start = item.lowerBound
        var rule: Rule?
        while let dot = bytes.extracting(0..<item.upperBound)
            .firstIndex(of: .ascii("."), from: start)
        {
            rule = rule ?? rules.text.rule(for: bytes.extracting(start..<dot))
            start = dot + 1
        }
        guard let rule, start < item.upperBound else { return }
        rules.replace(bytes, start..<item.upperBound, rule, .plain, &edits)
    }
}

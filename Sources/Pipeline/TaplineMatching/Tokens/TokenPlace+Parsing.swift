// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// The reason that a text is not the place of a token.
package struct TokenPlaceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The UTF-8 offset of the offending word in the text.
    package let offset: Int
    /// The length of the offending word in bytes; zero at the end of the text.
    package let length: Int
    /// The problem, with what was found and what was expected.
    package let message: String

    /// The message without a position; a caller that knows the file adds the position.
    package var description: String { message }
}

extension TokenPlace {
    /// Parses a place, such as `response json $.access_token of POST shop.test/login`.
    ///
    /// - Parameter text: The text.
    /// - Throws: `TokenPlaceError`, with the offset in the text.
    package init(parsing text: String) throws(TokenPlaceError) {
        var words = PlaceWords(text)
        let expected = "'request', 'response' or 'message'"
        let side = try words.next(expected)
        guard let message = Message(rawValue: side.text) else { throw side.unexpected(expected) }
        let place = try ValuePlace(&words, message)
        var route: RouteTemplate?
        if let word = words.nextIfAny() {
            guard word.text == "of" else { throw word.unexpected("'of' and a route") }
            route = try RouteTemplate(&words)
            if let rest = words.nextIfAny() { throw rest.unexpected("the end") }
        }
        self.init(message, place, of: route)
    }
}

/// The words of a place and their positions.
private struct PlaceWords {
    struct Word {
        let text: String
        let offset: Int

        /// The word with percent-encoding decoded.
        var decoded: ByteString {
            ByteString(PercentEncoding.decode(text.utf8.span, plusIsSpace: false))
        }

        func unexpected(_ expected: String) -> TokenPlaceError {
            TokenPlaceError(
                offset: offset,
                length: text.utf8.count,
                message: "unexpected '\(text.prefix(40))'; expected \(expected)"
            )
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func nextIfAny() -> Word? {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        let start = position
        while position < bytes.count, !bytes[position].isBlank { position += 1 }
        guard position > start else { return nil }
        return Word(text: String(decoding: bytes[start..<position], as: UTF8.self), offset: start)
    }

    mutating func next(_ expected: String) throws(TokenPlaceError) -> Word {
        guard let word = nextIfAny() else {
            throw TokenPlaceError(
                offset: bytes.count,
                length: 0,
                message: "unexpected end; expected \(expected)"
            )
        }
        return word
    }

    /// A number of a segment.
    mutating func number() throws(TokenPlaceError) -> Int {
        let expected = "the number of a segment, from 1"
        let word = try next(expected)
        guard let number = Int(word.text), 1...10_000 ~= number else {
            throw word.unexpected(expected)
        }
        return number
    }

    /// The next word, without taking it.
    var peeked: String? {
        var copy = self
        return copy.nextIfAny()?.text
    }
}

extension ValuePlace {
    fileprivate init(
        _ words: inout PlaceWords,
        _ message: TokenPlace.Message
    ) throws(TokenPlaceError) {
        let expected =
            switch message {
            case .request: "'path', 'query', 'header', 'cookie', 'json' or 'form'"
            case .response: "'header', 'cookie', 'json', 'form', 'meta' or 'link'"
            case .message: "'json' or 'text'"
            }
        let kind = try words.next(expected)
        let part: Part
        switch (kind.text, message) {
        case ("text", .message): part = .text
        case ("header", .message), ("cookie", .message), ("form", .message):
            throw kind.unexpected(expected)
        case ("path", .request): part = .segment(try words.number())
        case ("query", .request): part = .query(try words.next("a name").decoded)
        case ("header", _):
            let name = try words.next("a name").decoded
            part = .header(ByteString(lowercasing: name.span))
        case ("cookie", _): part = .cookie(try words.next("a name").decoded)
        case ("form", _): part = .form(try words.next("a name").decoded)
        case ("meta", .response): part = .meta(try words.next("a name").decoded)
        case ("link", .response): part = .link
        case ("json", _):
            let word = try words.next("a path, such as '$.id'")
            guard JSONPath(Array(copying: word.decoded.span)) != nil else {
                throw word.unexpected("a path, such as '$.id'")
            }
            part = .json(word.decoded)
        default: throw kind.unexpected(expected)
        }
        guard message != .request, let next = words.peeked,
            next == "path" || next == "query" || next == "decoded"
        else {
            self.init(part)
            return
        }
        _ = words.nextIfAny()
        switch next {
        case "path": self.init(part, .segment(try words.number()))
        case "query": self.init(part, .query(try words.next("a name").decoded))
        default: self.init(part, .decoded)
        }
    }
}

extension RouteTemplate {
    fileprivate init(_ words: inout PlaceWords) throws(TokenPlaceError) {
        let method = try words.next("a method")
        let expected = "a path, such as '/login' or 'shop.test/login'"
        let word = try words.next(expected)
        guard let slash = word.text.firstIndex(of: "/") else { throw word.unexpected(expected) }
        var parts = word.text[slash...].dropFirst()
            .split(separator: "/", omittingEmptySubsequences: false)
        let isOpen = parts.last == "**"
        if isOpen { parts.removeLast() }
        self.init(
            method: method.decoded,
            authority: ByteString(lowercasing: ByteString(unescaping: word.text[..<slash]).span),
            segments: parts.map { part in
                part.hasPrefix("{") && part.hasSuffix("}")
                    ? .any : .literal(ByteString(unescaping: part))
            },
            isOpen: isOpen
        )
    }
}

extension ByteString {
    /// Reverses `ValuePlace.escaped`.
    fileprivate init(unescaping text: Substring) {
        self.init(PercentEncoding.decode(String(text).utf8.span, plusIsSpace: false))
    }
}

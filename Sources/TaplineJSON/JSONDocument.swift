// SPDX-License-Identifier: MIT

/// A parsed document: a view of a parser's tokens and of the bytes that were parsed.
@frozen @safe
public struct JSONDocument: ~Escapable {
    @usableFromInline let tokens: UnsafePointer<JSONToken>
    @usableFromInline let source: UnsafePointer<UInt8>
    @usableFromInline let strings: UnsafePointer<UInt8>
    /// How many tokens there are: values and keys together.
    public let count: Int

    @_lifetime(immortal)
    init(
        tokens: UnsafePointer<JSONToken>,
        count: Int,
        source: UnsafePointer<UInt8>,
        strings: UnsafePointer<UInt8>
    ) {
        unsafe self.tokens = tokens
        unsafe self.source = source
        unsafe self.strings = strings
        self.count = count
    }

    /// The outermost value.
    @inlinable public var root: JSONValue {
        @_lifetime(copy self)
        get { JSONValue(document: self, index: 0) }
    }

    /// The value whose token has this index.
    /// - Parameter index: An index that `JSONValue.index` gave for this document.
    /// - Returns: The value.
    @inlinable
    @_lifetime(copy self)
    public func value(at index: Int) -> JSONValue {
        precondition(index >= 0 && index < count, "no such token")
        return JSONValue(document: self, index: index)
    }

    @inlinable
    func token(_ index: Int) -> JSONToken {
        unsafe tokens[index]
    }

    @inlinable
    @_lifetime(copy self)
    func bytes(_ token: JSONToken) -> Span<UInt8> {
        let base = unsafe token.isEscaped ? strings : source
        let span = unsafe Span(
            _unsafeStart: base + Int(token.offset),
            count: Int(token.length)
        )
        return unsafe _overrideLifetime(span, copying: self)
    }
}

/// One value of a document, or one key.
@frozen
public struct JSONValue: ~Escapable {
    @usableFromInline let document: JSONDocument
    /// The index of its token.
    public let index: Int
    @usableFromInline let token: JSONToken

    @inlinable
    @_lifetime(copy document)
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
        self.token = document.token(index)
    }

    /// What it is.
    @inlinable public var kind: JSONKind { token.kind }

    /// Where it begins in the text; a string at its first byte after the quote.
    @inlinable public var offset: Int { Int(token.offset) }

    /// A string's bytes after unescaping; of everything else the text as written.
    @inlinable public var bytes: Span<UInt8> {
        @_lifetime(copy self)
        get { document.bytes(token) }
    }

    /// Whether it is null.
    @inlinable public var isNull: Bool { kind == .null }

    /// True or false, when it is a boolean.
    @inlinable public var asBool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The text, when it is a string.
    ///
    /// A copy: hot paths use `bytes`.
    public var asString: String? {
        guard kind == .string else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The members of an object, in order, duplicates included; of everything else none.
    @inlinable public var members: JSONMembers {
        @_lifetime(copy self)
        get {
            JSONMembers(
                document: document,
                position: index + 1,
                end: kind == .object ? Int(token.next) : index + 1
            )
        }
    }

    /// The elements of an array, in order; of everything else none.
    @inlinable public var elements: JSONElements {
        @_lifetime(copy self)
        get {
            JSONElements(
                document: document,
                position: index + 1,
                end: kind == .array ? Int(token.next) : index + 1
            )
        }
    }

    /// The first member of an object with this name.
    /// - Parameter name: The name.
    /// - Returns: Its value, or nil.
    @_lifetime(copy self)
    public func member(_ name: StaticString) -> JSONValue? {
        var members = members
        while let member = members.next() {
            if member.key.matches(name) { return member.value }
        }
        return nil
    }

    /// Whether it is a string (or key) with exactly these bytes.
    /// - Parameter text: The text to compare with.
    /// - Returns: True when it is the same.
    @inlinable
    public func matches(_ text: StaticString) -> Bool {
        guard kind == .string, Int(token.length) == text.utf8CodeUnitCount else { return false }
        return bytes.elementsEqual(text)
    }
}

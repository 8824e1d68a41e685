// SPDX-License-Identifier: MIT

public import TaplineBytes

/// The memory of a document's parts; one per parser, so that a value takes two words.
@frozen @usableFromInline @safe
struct JSONArena {
    @usableFromInline var tokens: UnsafePointer<JSONToken>
    @usableFromInline var source: UnsafePointer<UInt8>
    @usableFromInline var strings: UnsafePointer<UInt8>
    @usableFromInline var count: Int

    init(
        tokens: UnsafePointer<JSONToken>,
        source: UnsafePointer<UInt8>,
        strings: UnsafePointer<UInt8>,
        count: Int
    ) {
        unsafe self.tokens = tokens
        unsafe self.source = source
        unsafe self.strings = strings
        self.count = count
    }
}

/// A parsed document: a view of a parser's tokens and of the parsed bytes.
@frozen @usableFromInline @safe
package struct JSONDocument: ~Escapable, BitwiseCopyable {
    @usableFromInline let arena: UnsafePointer<JSONArena>

    @_lifetime(immortal)
    init(arena: UnsafePointer<JSONArena>) {
        unsafe self.arena = arena
    }

    /// The number of tokens, which are values and keys.
    @inlinable package var count: Int { unsafe arena.pointee.count }

    /// The root value.
    @inlinable package var root: JSONValue {
        @_lifetime(copy self)
        get { value(0) }
    }

    /// The value with a token index.
    ///
    /// - Parameter index: An index from `JSONValue.index` in this document.
    /// - Returns: The value.
    @inlinable
    @_lifetime(copy self)
    package func value(at index: Int) -> JSONValue {
        precondition(index >= 0 && index < count, "no such token")
        return value(index)
    }

    @inlinable @inline(__always)
    @_lifetime(copy self)
    func value(_ index: Int) -> JSONValue {
        unsafe JSONValue(document: self, pointer: arena.pointee.tokens + index)
    }

    @inlinable @inline(__always)
    @_lifetime(copy self)
    func bytes(_ token: JSONToken) -> Span<UInt8> {
        let base = unsafe token.isEscaped ? arena.pointee.strings : arena.pointee.source
        let span = unsafe Span(
            _unsafeStart: base + Int(token.offset),
            count: Int(token.length)
        )
        return unsafe _overrideLifetime(span, copying: self)
    }
}

/// One value of a document, or one key.
@frozen @usableFromInline @safe
package struct JSONValue: ~Escapable, BitwiseCopyable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let pointer: UnsafePointer<JSONToken>

    @inlinable @inline(__always)
    @_lifetime(copy document)
    init(document: JSONDocument, pointer: UnsafePointer<JSONToken>) {
        self.document = document
        unsafe self.pointer = pointer
    }

    @inlinable @inline(__always)
    var token: JSONToken { unsafe pointer.pointee }

    /// The index of its token.
    @inlinable package var index: Int { unsafe pointer - document.arena.pointee.tokens }

    /// The number of tokens that it takes, including all nested values and keys.
    @inlinable package var tokenCount: Int { Int(token.next) &- index }

    /// The kind of value.
    @inlinable package var kind: JSONKind { token.kind }

    /// The offset at which it begins in the text; for a string, after the opening quote.
    @inlinable package var offset: Int { Int(token.offset) }

    /// The bytes of a string after unescaping; for other values, the text as written.
    @inlinable package var bytes: Span<UInt8> {
        @_lifetime(copy self)
        get { document.bytes(token) }
    }

    /// Whether a string was written with escapes, so that its bytes differ from the text.
    @inlinable package var isEscaped: Bool { token.isEscaped }

    /// Whether it is null.
    @inlinable package var isNull: Bool { kind == .null }

    /// The boolean; `nil` for other kinds.
    @inlinable package var asBool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The text of a string; `nil` for other kinds.
    ///
    /// This copies; use `bytes` on hot paths.
    package var asString: String? {
        guard kind == .string else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The members of an object, in order, including duplicates; empty for other kinds.
    @inlinable package var members: JSONMembers {
        @_lifetime(copy self)
        get {
            JSONMembers(
                document: document,
                position: index + 1,
                end: kind == .object ? Int(token.next) : index + 1
            )
        }
    }

    /// The elements of an array, in order; empty for other kinds.
    @inlinable package var elements: JSONElements {
        @_lifetime(copy self)
        get {
            JSONElements(
                document: document,
                position: index + 1,
                end: kind == .array ? Int(token.next) : index + 1
            )
        }
    }

    /// The first member of an object with a name.
    ///
    /// - Parameter name: The name.
    /// - Returns: Its value, or `nil`.
    @_lifetime(copy self)
    package func member(_ name: StaticString) -> JSONValue? {
        var members = members
        while let member = members.next() {
            if member.key.matches(name) { return member.value }
        }
        return nil
    }

    /// Whether this is a string (or key) with exactly these bytes.
    ///
    /// - Parameter text: The text to compare with.
    /// - Returns: Whether they are equal.
    @inlinable @inline(__always)
    package func matches(_ text: StaticString) -> Bool {
        guard kind == .string, Int(token.length) == text.utf8CodeUnitCount else { return false }
        return bytes.isExactly(text)
    }
}

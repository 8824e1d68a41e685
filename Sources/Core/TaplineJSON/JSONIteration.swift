// SPDX-License-Identifier: MIT

/// A key of an object and its value.
@frozen @usableFromInline
package struct JSONMember: ~Escapable, BitwiseCopyable {
    /// The key, a string.
    @usableFromInline package let key: JSONValue
    /// The value.
    @usableFromInline package let value: JSONValue

    @inlinable @inline(__always)
    @_lifetime(copy key, copy value)
    init(key: JSONValue, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// Iterates over the members of an object: `while let member = members.next()`.
@frozen @usableFromInline
package struct JSONMembers: ~Escapable, BitwiseCopyable {
    @usableFromInline let document: JSONDocument
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    @_lifetime(copy document)
    init(document: JSONDocument, position: Int, end: Int) {
        self.document = document
        self.position = position
        self.end = end
    }

    /// Advances to the next member.
    ///
    /// - Returns: The next member, or `nil` at the end.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    package mutating func next() -> JSONMember? {
        guard position < end else { return nil }
        let key = document.value(position)
        let value = document.value(position &+ 1)
        position = Int(value.token.next)
        return JSONMember(key: key, value: value)
    }
}

/// Iterates over the elements of an array: `while let element = elements.next()`.
@frozen @usableFromInline
package struct JSONElements: ~Escapable, BitwiseCopyable {
    @usableFromInline let document: JSONDocument
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    @_lifetime(copy document)
    init(document: JSONDocument, position: Int, end: Int) {
        self.document = document
        self.position = position
        self.end = end
    }

    /// Whether there are no more elements.
    @inlinable package var isAtEnd: Bool { position >= end }

    /// Advances to the next element.
    ///
    /// - Returns: The next element, or `nil` at the end.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let value = document.value(position)
        position = Int(value.token.next)
        return value
    }
}

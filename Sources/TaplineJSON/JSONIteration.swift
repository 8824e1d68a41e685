// SPDX-License-Identifier: MIT

/// A key of an object and its value.
@frozen
public struct JSONMember: ~Escapable {
    /// The key, a string.
    public let key: JSONValue
    /// The value.
    public let value: JSONValue

    @inlinable
    @_lifetime(copy key, copy value)
    init(key: JSONValue, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// Walks the members of an object: `while let member = members.next()`.
@frozen
public struct JSONMembers: ~Escapable {
    @usableFromInline let document: JSONDocument
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    @inlinable
    @_lifetime(copy document)
    init(document: JSONDocument, position: Int, end: Int) {
        self.document = document
        self.position = position
        self.end = end
    }

    /// Moves on.
    /// - Returns: The next member, or nil at the end.
    @inlinable
    @_lifetime(copy self)
    public mutating func next() -> JSONMember? {
        guard position < end else { return nil }
        let key = JSONValue(document: document, index: position)
        let value = JSONValue(document: document, index: position &+ 1)
        position = Int(value.token.next)
        return JSONMember(key: key, value: value)
    }
}

/// Walks the elements of an array: `while let element = elements.next()`.
@frozen
public struct JSONElements: ~Escapable {
    @usableFromInline let document: JSONDocument
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    @inlinable
    @_lifetime(copy document)
    init(document: JSONDocument, position: Int, end: Int) {
        self.document = document
        self.position = position
        self.end = end
    }

    /// Moves on.
    /// - Returns: The next element, or nil at the end.
    @inlinable
    @_lifetime(copy self)
    public mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let value = JSONValue(document: document, index: position)
        position = Int(value.token.next)
        return value
    }
}

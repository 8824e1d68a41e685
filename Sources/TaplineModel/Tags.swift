// SPDX-License-Identifier: MIT

/// Notes on an exchange: names with one text each, in the order in which they were first set.
@frozen
public struct Tags: Sendable, Equatable {
    /// One note.
    @frozen
    public struct Tag: Sendable, Equatable {
        /// Its name; no two tags of an exchange share one.
        public let name: String
        /// Its text.
        public var value: String

        @inlinable
        init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    @usableFromInline var list: [Tag]

    /// No tags.
    @inlinable
    public init() { list = [] }

    /// The number of tags.
    @inlinable
    public var count: Int { list.count }

    /// Whether there are none.
    @inlinable
    public var isEmpty: Bool { list.isEmpty }

    /// The text of a name; assigning nothing removes it.
    @inlinable
    public subscript(name: String) -> String? {
        get { list.first { $0.name == name }?.value }
        set {
            let position = list.firstIndex { $0.name == name }
            switch (position, newValue) {
            case (let position?, let value?): list[position].value = value
            case (let position?, nil): list.remove(at: position)
            case (nil, let value?): list.append(Tag(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension Tags {
    /// Appends a note whose name no other has; that is not looked up.
    package mutating func append(newName name: String, value: String) {
        list.append(Tag(name: name, value: value))
    }
}

extension Tags: RandomAccessCollection {
    /// The first position.
    @inlinable
    public var startIndex: Int { 0 }
    /// After the last position.
    @inlinable
    public var endIndex: Int { list.count }
    /// The tag at a position.
    @inlinable
    public subscript(position: Int) -> Tag { list[position] }
}

extension Tags: ExpressibleByDictionaryLiteral {
    /// These tags; of two with one name the later counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

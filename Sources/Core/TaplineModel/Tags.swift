// SPDX-License-Identifier: MIT

/// Notes on an exchange: names with one text each, in the order in which they were first set.
@frozen
public struct Tags: Sendable, Equatable {
    /// One note.
    @frozen
    public struct Tag: Sendable, Equatable {
        /// The name; it is unique among the tags of an exchange.
        public let name: String
        /// The text.
        public var value: String

        @inlinable
        init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    @usableFromInline var list: [Tag]

    /// Creates empty tags.
    @inlinable
    public init() { list = [] }

    /// The number of tags.
    @inlinable
    public var count: Int { list.count }

    /// Whether there are none.
    @inlinable
    public var isEmpty: Bool { list.isEmpty }

    /// The text of a name; assigning `nil` removes the tag.
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
    /// The tag with the value of Alt-Svc, which a source has removed from the response.
    package static let alternatives = "tapline.alt_svc"

    /// Appends a note whose name is not in use; this is not checked.
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
    /// Creates tags; of two tags with the same name, the later one is used.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

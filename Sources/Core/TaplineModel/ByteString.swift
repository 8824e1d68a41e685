// SPDX-License-Identifier: MIT

/// A short, immutable string of bytes as received: a method, a request target, a reason.
///
/// **Shape**: any bytes, whether valid UTF-8 or not. Up to 15 bytes are stored inline, so that most
/// values of a message head need no allocation.
@frozen
public struct ByteString: Sendable {
    @usableFromInline var inline: InlineArray<16, UInt8>
    @usableFromInline var heap: [UInt8]

    /// The number of bytes that fit without an allocation.
    @inlinable
    package static var inlineCapacity: Int { 15 }

    /// The value of the last inline byte if the bytes are on the heap; otherwise that byte is the
    /// count.
    @inlinable
    static var heapMark: UInt8 { 0xFF }

    /// An empty string.
    @inlinable
    public init() {
        inline = InlineArray(repeating: 0)
        heap = []
    }

    /// Copies the bytes.
    public init(_ bytes: Span<UInt8>) {
        var inline: InlineArray<16, UInt8>
        if bytes.count <= Self.inlineCapacity {
            inline = InlineArray(copying: bytes)
            inline[Self.inlineCapacity] = UInt8(truncatingIfNeeded: bytes.count)
            heap = []
        } else {
            inline = InlineArray(repeating: 0)
            inline[Self.inlineCapacity] = Self.heapMark
            heap = Array(copying: bytes)
        }
        // Set once: changing an initialized property makes the initializer copy all of it.
        self.inline = inline
    }

    /// Takes the bytes; an array that does not fit inline is kept without copying.
    @inlinable
    public init(_ bytes: [UInt8]) {
        if bytes.count <= Self.inlineCapacity {
            self.init(bytes.span)
        } else {
            self.init()
            heap = bytes
            inline[Self.inlineCapacity] = Self.heapMark
        }
    }

    /// The string's UTF-8.
    @inlinable
    public init(_ text: String) {
        self.init(text.utf8.span)
    }

    /// A copy of the bytes, with capital letters of ASCII in lower case.
    package init(lowercasing bytes: Span<UInt8>) {
        self.init(Array(copying: bytes).map(\.asciiLowercased))
    }

    /// The number of bytes.
    @inlinable
    public var count: Int {
        let last = inline[Self.inlineCapacity]
        return last == Self.heapMark ? heap.count : Int(last)
    }

    /// Whether there are no bytes.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The bytes, borrowed.
    @inlinable
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            if inline[Self.inlineCapacity] == Self.heapMark { return heap.span }
            return inline.span.extracting(0..<Int(inline[Self.inlineCapacity]))
        }
    }

    /// The bytes as text; `nil` if they are not valid UTF-8.
    public var text: String? {
        String(validating: Array(copying: span), as: UTF8.self)
    }
}

extension ByteString: Hashable {
    /// Whether both contain the same bytes.
    @inlinable
    public static func == (left: ByteString, right: ByteString) -> Bool {
        left.span.equals(right.span)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(span)
    }
}

extension ByteString: ExpressibleByStringLiteral {
    /// Creates a string from the UTF-8 of a literal.
    @inlinable
    public init(stringLiteral value: String) { self.init(value) }
}

extension ByteString: CustomStringConvertible {
    /// The bytes as text, with invalid UTF-8 replaced.
    ///
    /// For display, not for storage.
    public var description: String {
        String(decoding: Array(copying: span), as: UTF8.self)
    }
}

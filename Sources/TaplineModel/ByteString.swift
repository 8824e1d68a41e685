// SPDX-License-Identifier: MIT

/// A short, immutable string of bytes as they were received: a method, a request target, a reason.
///
/// **Shape**: any bytes, valid UTF-8 or not. Up to 15 bytes live inline, so that most values of
/// a message head cost no allocation.
@frozen
public struct ByteString: Sendable {
    @usableFromInline var inline: InlineArray<16, UInt8>
    @usableFromInline var heap: [UInt8]

    /// The number of bytes that fit without an allocation.
    @inlinable
    public static var inlineCapacity: Int { 15 }

    /// What the last inline byte says when the bytes are on the heap; otherwise it is the count.
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
        // Set once: to change what is set already has the initializer copy all of it.
        self.inline = inline
    }

    /// Takes the bytes; an array that does not fit inline is kept, not copied.
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

    /// The bytes as text when they are valid UTF-8.
    public var text: String? {
        String(validating: Array(copying: span), as: UTF8.self)
    }
}

extension ByteString: Hashable {
    /// Whether both hold the same bytes.
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
    /// The UTF-8 of a literal.
    @inlinable
    public init(stringLiteral value: String) { self.init(value) }
}

extension ByteString: CustomStringConvertible {
    /// The bytes as text; what is not valid UTF-8 is replaced.
    ///
    /// For people, not for storage.
    public var description: String {
        String(decoding: Array(copying: span), as: UTF8.self)
    }
}

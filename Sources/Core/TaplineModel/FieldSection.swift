// SPDX-License-Identifier: MIT

/// The fields of a message, or its trailers (RFC 9110 §5): an ordered list of names and values.
///
/// **Shape**: keeps case, order, duplicates and unusual bytes exactly as received; look-up by name
/// ignores the case of ASCII letters. Storage is flat, one byte buffer and one index, so a section
/// takes two allocations for any number of fields.
///
/// **Units**: a section holds less than 4 GiB; `append` rejects what would exceed that.
@frozen
public struct FieldSection: Sendable {
    /// The location of a field in the byte buffer: the name, directly followed by the value.
    @frozen @usableFromInline
    package struct Entry: Sendable {
        /// The offset of the name.
        @usableFromInline package var start: UInt32
        /// The length of the name.
        @usableFromInline package var nameCount: UInt32
        /// The length of the value.
        @usableFromInline package var valueCount: UInt32

        @inlinable
        init(start: UInt32, nameCount: UInt32, valueCount: UInt32) {
            self.start = start
            self.nameCount = nameCount
            self.valueCount = valueCount
        }

        /// The range of the name.
        @inlinable
        package var name: Range<Int> { Int(start)..<Int(start) + Int(nameCount) }

        /// The range of the value.
        @inlinable
        package var value: Range<Int> { name.upperBound..<name.upperBound + Int(valueCount) }
    }

    /// The location of a field in a received message, without white space around the value.
    @frozen @usableFromInline
    package struct Line: Sendable {
        /// The offset of the name.
        @usableFromInline package var nameStart: UInt32
        /// The length of the name.
        @usableFromInline package var nameCount: UInt32
        /// The offset of the value.
        @usableFromInline package var valueStart: UInt32
        /// The length of the value.
        @usableFromInline package var valueCount: UInt32

        /// Creates a line from offsets and lengths.
        @inlinable
        package init(nameStart: UInt32, nameCount: UInt32, valueStart: UInt32, valueCount: UInt32) {
            self.nameStart = nameStart
            self.nameCount = nameCount
            self.valueStart = valueStart
            self.valueCount = valueCount
        }

        /// The range of the name.
        @inlinable
        package var name: Range<Int> { Int(nameStart)..<Int(nameStart) + Int(nameCount) }

        /// The range of the value.
        @inlinable
        package var value: Range<Int> { Int(valueStart)..<Int(valueStart) + Int(valueCount) }
    }

    @usableFromInline var bytes: [UInt8]
    @usableFromInline var entries: [Entry]
    /// How many bytes of the buffer no entry refers to.
    @usableFromInline var unused: Int

    /// An empty section.
    @inlinable
    public init() {
        bytes = []
        entries = []
        unused = 0
    }

    /// Creates a section of the given fields, in order.
    public init(_ fields: [(name: String, value: String)]) {
        self.init()
        let count = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        reserveCapacity(fields: fields.count, bytes: count)
        for field in fields { append(name: field.name, value: field.value) }
    }

    /// The number of fields, including duplicates.
    @inlinable
    public var count: Int { entries.count }

    /// Whether there are no fields.
    @inlinable
    public var isEmpty: Bool { entries.isEmpty }

    /// The positions of the fields.
    @inlinable
    public var indices: Range<Int> { entries.indices }

    /// The total size of all names and values, in bytes.
    @inlinable
    public var byteCount: Int { bytes.count - unused }

    /// The name of the field at a position, as received.
    @inlinable
    @_lifetime(borrow self)
    public func name(at position: Int) -> Span<UInt8> {
        bytes.span.extracting(entries[position].name)
    }

    /// The value of the field at a position, as received.
    @inlinable
    @_lifetime(borrow self)
    public func value(at position: Int) -> Span<UInt8> {
        bytes.span.extracting(entries[position].value)
    }

    /// The flat storage: all bytes, and the entries that point into them.
    @inlinable
    package var storage: (bytes: [UInt8], entries: [Entry]) { (bytes, entries) }

    /// The flat storage for C code: all bytes, including those that no entry refers to.
    @inlinable
    package var byteSpan: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span }
    }

    /// The entries that point into `byteSpan`, in order.
    @inlinable
    package var entrySpan: Span<Entry> {
        @_lifetime(borrow self)
        get { entries.span }
    }

    /// Reserves capacity, so that appending this much allocates once.
    @inlinable
    public mutating func reserveCapacity(fields: Int, bytes count: Int) {
        entries.reserveCapacity(fields)
        bytes.reserveCapacity(count)
    }
}

// MARK: - Look-up

extension FieldSection {
    /// The position of the first field with a name at or after `start`.
    @inlinable
    public func firstIndex(of name: Span<UInt8>, from start: Int = 0) -> Int? {
        let wanted = UInt32(truncatingIfNeeded: name.count)
        var position = start
        while position < entries.count {
            let entry = entries[position]
            if entry.nameCount == wanted,
                bytes.span.extracting(entry.name).equalsIgnoringCase(name)
            {
                return position
            }
            position += 1
        }
        return nil
    }

    /// The position of the first field with a name at or after `start`.
    @inlinable
    public func firstIndex(of name: String, from start: Int = 0) -> Int? {
        firstIndex(of: name.utf8.span, from: start)
    }

    /// Whether there is a field with a name.
    @inlinable
    public func contains(_ name: String) -> Bool { firstIndex(of: name) != nil }

    /// The value of the first field with a name.
    @inlinable
    public func first(_ name: String) -> ByteString? {
        guard let position = firstIndex(of: name) else { return nil }
        return ByteString(value(at: position))
    }

    /// The values of all fields with a name, in order.
    public func all(_ name: String) -> [ByteString] {
        var result: [ByteString] = []
        var start = 0
        while let position = firstIndex(of: name, from: start) {
            result.append(ByteString(value(at: position)))
            start = position + 1
        }
        return result
    }
}

// MARK: - Change

extension FieldSection {
    /// Appends a field after all others.
    @inlinable
    public mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        guard let entry = place(name, value) else { return }
        entries.append(entry)
    }

    /// Appends a field after all others.
    @inlinable
    public mutating func append(name: String, value: String) {
        append(name: name.utf8.span, value: value.utf8.span)
    }

    /// Sorts the fields by the bytes of their names; fields of the same name keep their order.
    public mutating func sortByName() {
        let bytes = bytes
        entries.sort { left, right in
            bytes.span.extracting(left.name).precedes(bytes.span.extracting(right.name))
        }
    }

    /// Sets the value of a name: replaces the first field of the name and removes the others, or
    /// appends a field if there is none.
    ///
    /// An existing name keeps its case.
    public mutating func set(_ name: Span<UInt8>, to value: Span<UInt8>) {
        guard let position = firstIndex(of: name) else {
            append(name: name, value: value)
            return
        }
        replaceValue(at: position, with: value)
        remove(at: positions(of: name, from: position + 1))
    }

    /// Sets the value of a name: replaces the first field of the name and removes the others, or
    /// appends a field if there is none.
    public mutating func set(_ name: String, to value: String) {
        set(name.utf8.span, to: value.utf8.span)
    }

    /// Replaces the value of one field; its name and position do not change.
    public mutating func replaceValue(at position: Int, with value: Span<UInt8>) {
        let old = entries[position]
        if value.count <= Int(old.valueCount) {
            overwriteValue(at: position, with: value)
            return
        }
        let name = Array(copying: self.name(at: position))
        guard let entry = place(name.span, value) else { return }
        entries[position] = entry
        release(old)
    }

    /// Overwrites the old value completely with one that is not longer.
    private mutating func overwriteValue(at position: Int, with value: Span<UInt8>) {
        let range = entries[position].value
        bytes.overwrite(range, with: value)
        unused += range.count - value.count
        entries[position].valueCount = UInt32(truncatingIfNeeded: value.count)
    }

    /// Removes one field.
    public mutating func remove(at position: Int) {
        release(entries.remove(at: position))
    }

    /// Removes the fields at several ascending positions in one pass.
    public mutating func remove(at positions: [Int]) {
        guard let first = positions.first else { return }
        var kept = first
        var next = 0
        var freed = 0
        for position in first..<entries.count {
            let entry = entries[position]
            if next < positions.count, positions[next] == position {
                freed += Int(entry.nameCount) + Int(entry.valueCount)
                next += 1
            } else {
                entries[kept] = entry
                kept += 1
            }
        }
        entries.removeLast(entries.count - kept)
        release(freed)
    }

    /// Removes all fields with a name; returns how many there were.
    @discardableResult
    public mutating func removeAll(_ name: Span<UInt8>) -> Int {
        let positions = positions(of: name, from: 0)
        remove(at: positions)
        return positions.count
    }

    private func positions(of name: Span<UInt8>, from start: Int) -> [Int] {
        var positions: [Int] = []
        var start = start
        while let position = firstIndex(of: name, from: start) {
            positions.append(position)
            start = position + 1
        }
        return positions
    }

    /// Removes all fields with a name; returns how many there were.
    @discardableResult
    public mutating func removeAll(_ name: String) -> Int {
        removeAll(name.utf8.span)
    }

    /// Appends a field's bytes to the buffer; returns `nil` if they would exceed 4 GiB.
    @inlinable
    mutating func place(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Entry? {
        let start = bytes.count
        guard start + name.count + value.count < Int(UInt32.max) else { return nil }
        bytes.append(copying: name)
        bytes.append(copying: value)
        return Entry(
            start: UInt32(truncatingIfNeeded: start),
            nameCount: UInt32(truncatingIfNeeded: name.count),
            valueCount: UInt32(truncatingIfNeeded: value.count)
        )
    }

    private mutating func release(_ entry: Entry) {
        release(Int(entry.nameCount) + Int(entry.valueCount))
    }

    /// Counts bytes of fields as unused; compacts the buffer when most of it is unused.
    ///
    /// A removed value may be a secret: it is never written out, and is freed with the section at
    /// the latest.
    private mutating func release(_ count: Int) {
        unused += count
        guard unused > 1024, unused > bytes.count / 2 else { return }
        var packed = FieldSection()
        packed.reserveCapacity(fields: self.count, bytes: byteCount)
        for position in indices {
            packed.append(name: name(at: position), value: value(at: position))
        }
        self = packed
    }
}

// MARK: - Equality, text

extension FieldSection: Equatable {
    /// Whether both contain the same fields in the same order, byte for byte.
    public static func == (left: FieldSection, right: FieldSection) -> Bool {
        guard left.count == right.count else { return false }
        for position in left.indices {
            guard left.name(at: position).equals(right.name(at: position)),
                left.value(at: position).equals(right.value(at: position))
            else { return false }
        }
        return true
    }
}

extension FieldSection: ExpressibleByDictionaryLiteral {
    /// Creates a section of the given fields, in order and with duplicates.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { append(name: name, value: value) }
    }
}

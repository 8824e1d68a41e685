// SPDX-License-Identifier: MIT

/// Memory for the texts and blobs that are bound to one statement.
///
/// SQLite reads bound bytes when the statement runs, long after the span they came from is gone,
/// so they have to be copied. Asked to do that itself, SQLite allocates and frees for each value;
/// here they lie side by side in memory that is used again for the next row.
///
/// Nothing that was handed out moves before `rewind()`, which must follow the clearing of the
/// statement's bindings.
@safe struct BindingArena: ~Copyable {
    /// Larger values are left to SQLite: beside their cost an allocation is nothing.
    static let largestValue = 65_536

    private static let firstSize = 4_096

    private var chunk = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0
    private var full: [UnsafeMutableRawBufferPointer] = unsafe []

    deinit {
        unsafe chunk.deallocate()
        unsafe full.forEach { unsafe $0.deallocate() }
    }

    /// Copies bytes; never `nil` for few, so that no bytes at all differ from NULL.
    @unsafe
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= Self.largestValue else {
            return nil
        }
        if unsafe chunk.count - used <= bytes.count {
            unsafe grow(toFit: bytes.count)
        }
        guard let start = unsafe chunk.baseAddress else {
            return nil
        }
        let target = unsafe start + used
        if let source = bytes.baseAddress {
            unsafe target.copyMemory(from: source, byteCount: bytes.count)
        }
        used += bytes.count
        return UnsafeRawPointer(target)
    }

    /// Forgets all copies and keeps the largest piece of memory.
    mutating func rewind() {
        used = 0
        while let chunk = unsafe full.popLast() {
            unsafe chunk.deallocate()
        }
    }

    @unsafe
    private mutating func grow(toFit count: Int) {
        let size = max(Self.firstSize, (unsafe chunk.count) * 2, count + 1)
        if unsafe chunk.baseAddress != nil {
            unsafe full.append(chunk)
        }
        unsafe chunk = .allocate(byteCount: size, alignment: 16)
        used = 0
    }
}

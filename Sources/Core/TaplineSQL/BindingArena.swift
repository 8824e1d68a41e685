// SPDX-License-Identifier: MIT

/// Memory for the texts and blobs that are bound to one statement.
///
/// SQLite reads bound bytes when the statement runs, long after their span is gone, so they must be
/// copied. If SQLite copies them itself, it allocates and frees memory for each value. Here they
/// are adjacent in memory that is reused for the next row.
///
/// Returned memory does not move until `rewind()`, which must follow the clearing of the
/// statement's bindings.
@safe struct BindingArena: ~Copyable {
    /// Larger values are copied by SQLite: compared with their cost, an allocation is negligible.
    static let largestValue = 65_536

    private static let firstSize = 4_096

    private var chunk = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0
    private var full: [UnsafeMutableRawBufferPointer] = unsafe []

    deinit {
        unsafe chunk.deallocate()
        unsafe full.forEach { unsafe $0.deallocate() }
    }

    /// Copies bytes; not `nil` for empty bytes, so that they differ from NULL.
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

    /// Discards all copies and keeps the largest piece of memory.
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

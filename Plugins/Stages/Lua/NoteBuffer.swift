// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

/// Tags or variables in the flat layout that C reads; reused for each call.
struct NoteBuffer {
    private var bytes: [UInt8] = []
    private var entries: [tapline_lua_entry] = []

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// Copies notes; notes beyond 4 GiB in total are left out.
    mutating func fill(_ notes: Tags) {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        for note in notes {
            let start = bytes.count
            bytes.append(contentsOf: note.name.utf8)
            let middle = bytes.count
            bytes.append(contentsOf: note.value.utf8)
            guard bytes.count < Int(UInt32.max) else { return }
            entries.append(
                tapline_lua_entry(
                    start: UInt32(truncatingIfNeeded: start),
                    name_count: UInt32(truncatingIfNeeded: middle - start),
                    value_count: UInt32(truncatingIfNeeded: bytes.count - middle)
                )
            )
        }
    }

    /// The notes for C, valid until the next `fill`.
    @unsafe
    @inline(__always)
    var lent: tapline_lua_section {
        if entries.isEmpty { return unsafe tapline_lua_section() }
        return unsafe entries.withUnsafeBufferPointer { entries in
            unsafe tapline_lua_section(
                bytes: bytes.span.lent,
                entries: entries.baseAddress,
                count: entries.count
            )
        }
    }
}

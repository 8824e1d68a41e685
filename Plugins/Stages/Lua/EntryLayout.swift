// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

/// The offsets of three 32-bit numbers in a type, which C reads from Swift's fields without a copy.
struct EntryLayout: Equatable {
    let size: Int
    let stride: Int
    let alignment: Int
    let offsets: [Int?]

    /// The layout of a type.
    init<T>(of type: T.Type, _ first: KeyPath<T, UInt32>, _ rest: KeyPath<T, UInt32>...) {
        size = MemoryLayout<T>.size
        stride = MemoryLayout<T>.stride
        alignment = MemoryLayout<T>.alignment
        offsets = ([first] + rest).map { MemoryLayout<T>.offset(of: $0) }
    }

    /// The layout of the entries of a section in Swift.
    static let ofSections = EntryLayout(
        of: FieldSection.Entry.self,
        \.start,
        \.nameCount,
        \.valueCount
    )

    /// The layout that C expects.
    static let inC = EntryLayout(of: tapline_lua_entry.self, \.start, \.name_count, \.value_count)

    /// Whether sections can be lent to C; checked once, before the first script is loaded.
    static let isShared = ofSections == inC && ByteString.hasInlineBytesFirst
}

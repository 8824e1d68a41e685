// SPDX-License-Identifier: MIT

internal import CHyperscan

/// A set of literals, compiled so that one pass over a text finds them all.
///
/// **Isolation.** Immutable; any number of threads may make scanners of one set.
///
/// **Source.** Hyperscan's `hs_compile_lit_multi`, block mode.
@safe package final class LiteralSet: Sendable {
    /// One text to look for.
    package struct Literal: Sendable, Hashable {
        /// Its bytes, of any value; at least one.
        package let bytes: [UInt8]
        /// Whether ASCII letters match in either case.
        package let ignoresCase: Bool

        /// Makes a literal from bytes.
        package init(_ bytes: [UInt8], ignoresCase: Bool = false) {
            self.bytes = bytes
            self.ignoresCase = ignoresCase
        }

        /// Makes a literal from the UTF-8 of a text.
        package init(_ text: String, ignoresCase: Bool = false) {
            self.init(Array(text.utf8), ignoresCase: ignoresCase)
        }
    }

    /// The maximum number of literals in a set.
    package static let maxCount = 20_000

    /// The maximum number of bytes in a literal.
    package static let maxLength = 255

    /// The literals; a match holds an index into this array.
    package let literals: [Literal]

    /// The length of the longest literal, in bytes.
    package let longest: Int

    // Hyperscan never writes to a compiled database.
    nonisolated(unsafe) let database: OpaquePointer

    /// Compiles one or more literals.
    ///
    /// - Throws: `LiteralSetError`, with the index of the literal that caused it, if there is one.
    package init(_ literals: [Literal]) throws(LiteralSetError) {
        guard !literals.isEmpty, literals.count <= Self.maxCount else {
            throw LiteralSetError(
                message: "found \(literals.count) literals, expected 1 to \(Self.maxCount)"
            )
        }
        for (index, literal) in literals.enumerated()
        where literal.bytes.isEmpty || literal.bytes.count > Self.maxLength {
            throw LiteralSetError(
                message: "found \(literal.bytes.count) bytes, expected 1 to \(Self.maxLength)",
                index: index
            )
        }
        unsafe database = try unsafe Self.compile(literals)
        self.literals = literals
        longest = literals.reduce(0) { max($0, $1.bytes.count) }
    }

    deinit {
        unsafe hs_free_database(database)
    }

    /// The size of the compiled set, in bytes.
    package var memoryBytes: Int {
        var size = 0
        guard unsafe hs_database_size(database, &size) == HS_SUCCESS else { return 0 }
        return size
    }

    @unsafe
    private static func compile(
        _ literals: [Literal]
    ) throws(LiteralSetError) -> OpaquePointer {
        guard hs_valid_platform() == HS_SUCCESS else {
            throw LiteralSetError(message: "this processor lacks SSSE3, which Hyperscan requires")
        }
        // All literals share one array, so that the pointer to each is an offset into it.
        let bytes = literals.flatMap { $0.bytes.map(CChar.init(bitPattern:)) }
        let lengths = literals.map(\.bytes.count)
        let flags = literals.map { $0.ignoresCase ? UInt32(HS_FLAG_CASELESS) : 0 }
        let identifiers = literals.indices.map(UInt32.init)
        var database: OpaquePointer?
        var failure: UnsafeMutablePointer<hs_compile_error_t>?
        let status = unsafe bytes.withUnsafeBufferPointer { bytes in
            var position = 0
            let starts = unsafe lengths.map { length in
                defer { position += length }
                return unsafe bytes.baseAddress.map { unsafe $0 + position }
            }
            return unsafe hs_compile_lit_multi(
                starts,
                flags,
                identifiers,
                lengths,
                UInt32(literals.count),
                UInt32(HS_MODE_BLOCK),
                nil,
                &database,
                &failure
            )
        }
        defer { unsafe hs_free_compile_error(failure) }
        guard status == HS_SUCCESS, let database = unsafe database else {
            throw unsafe LiteralSetError(failure)
        }
        return unsafe database
    }
}

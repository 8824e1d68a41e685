// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// Parses JSON documents, one after the other, into a flat arena of tokens.
///
/// **Shape**: bytes are parsed in place, without padding or copy. Once the arena has grown to the
/// size of the documents, parsing does not allocate. The document borrows both the parser and the
/// bytes: while it is in use, the compiler prevents a second parse and the end of the bytes'
/// lifetime.
/// **Limits**: nesting (`maxDepth`), and 4 GiB per document.
/// **Isolation**: one thread at a time.
@safe
package struct JSONParser: ~Copyable {
    private let handle: OpaquePointer?
    /// The location of the last document's parts.
    private let arena: UnsafeMutablePointer<JSONArena>

    /// How lone surrogates are handled, which Unicode text cannot represent.
    package enum Surrogates: Sendable {
        /// A lone surrogate is an error.
        case refuse
        /// It becomes U+FFFD, as in browsers that display such text.
        case replace
    }

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - maxDepth: The maximum nesting of arrays and objects.
    ///   - surrogates: How lone surrogates are handled.
    package init(maxDepth: Int = 1024, surrogates: Surrogates = .refuse) {
        let depth = UInt32(clamping: max(1, min(maxDepth, 1 << 20)))
        unsafe arena = .allocate(capacity: 1)
        unsafe handle = tapline_json_parser_create(depth, surrogates == .replace)
    }

    deinit {
        if let handle = unsafe handle { unsafe tapline_json_parser_destroy(handle) }
        unsafe arena.deallocate()
    }

    /// Parses one document, which may be surrounded by white space only.
    ///
    /// - Parameter bytes: The text; it stays borrowed while the document is in use.
    /// - Returns: The document's tokens.
    /// - Throws: `JSONError` with the byte at which the text is no longer valid.
    @_lifetime(&self, copy bytes)
    package mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONDocument {
        guard let handle = unsafe handle else { throw JSONError(code: .noMemory, offset: 0) }
        guard JSONToken.hasLayoutOfC else { throw JSONError(code: .unknownLibrary, offset: 0) }
        var result = unsafe tapline_json_result()
        let base = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe tapline_json_parse(handle, buffer.baseAddress, buffer.count, &result)
            return buffer.baseAddress
        }
        guard unsafe result.error == 0, let base = unsafe base,
            let tokens = unsafe result.tokens
        else {
            let value = unsafe JSONError.Code.Value(rawValue: result.error) ?? .noMemory
            let offset = unsafe Int(result.error_offset)
            throw JSONError(code: .init(value: value), offset: offset)
        }
        unsafe arena.initialize(
            to: JSONArena(
                tokens: UnsafeRawPointer(tokens).assumingMemoryBound(to: JSONToken.self),
                source: base,
                strings: result.strings ?? base,
                count: Int(result.token_count)
            )
        )
        let document = unsafe JSONDocument(arena: arena)
        return unsafe _overrideLifetime(document, mutating: &self)
    }

    /// Frees memory if the arena has grown for a document larger than `bytes`.
    ///
    /// - Parameter bytes: The document size that the arena may stay prepared for.
    package mutating func shrink(toDocumentsOf bytes: Int) {
        if let handle = unsafe handle {
            unsafe tapline_json_parser_shrink(handle, max(0, bytes))
        }
    }
}

// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// Parses JSON documents one after the other into a flat arena of tokens.
///
/// Shape: a parse reads the bytes where they are (no padding, no copy) and, once the arena has
/// grown to the size of the documents, allocates nothing. The document borrows both the parser and
/// the bytes: the compiler refuses a second parse, or the end of the bytes, while it is in use.
/// Limits: nesting (`maxDepth`) and 4 GiB a document.
/// Isolation: one thread at a time.
@safe
public struct JSONParser: ~Copyable {
    private let handle: OpaquePointer?
    /// Where the last document's parts lie.
    private let arena: UnsafeMutablePointer<JSONArena>

    /// What to do with half a surrogate pair, which Unicode text cannot hold.
    public enum Surrogates: Sendable {
        /// It is an error.
        case refuse
        /// It becomes U+FFFD, as in browsers that print such text.
        case replace
    }

    /// Makes a parser.
    /// - Parameters:
    ///   - maxDepth: How deep arrays and objects may nest.
    ///   - surrogates: What to do with half a surrogate pair.
    public init(maxDepth: Int = 1024, surrogates: Surrogates = .refuse) {
        let depth = UInt32(clamping: max(1, min(maxDepth, 1 << 20)))
        unsafe arena = .allocate(capacity: 1)
        unsafe handle = tapline_json_parser_create(depth, surrogates == .replace)
    }

    deinit {
        if let handle = unsafe handle { unsafe tapline_json_parser_destroy(handle) }
        unsafe arena.deallocate()
    }

    /// Parses one document; white space around it is fine, anything else is not.
    /// - Parameter bytes: The text; it stays borrowed as long as the document is in use.
    /// - Returns: The document's tokens.
    /// - Throws: `JSONError` with the byte where the text stops being right.
    @_lifetime(&self, copy bytes)
    public mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONDocument {
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

    /// Gives memory back when the arena has grown for a document larger than `bytes`.
    /// - Parameter bytes: The size of document that the arena may stay ready for.
    public mutating func shrink(toDocumentsOf bytes: Int) {
        if let handle = unsafe handle {
            unsafe tapline_json_parser_shrink(handle, max(0, bytes))
        }
    }
}

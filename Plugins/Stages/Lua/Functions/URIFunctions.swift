// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// URIs and relative references.
    mutating func setURIFunctions() {
        unsafe uri_split = { text in
            let parts = unsafe URIReference(text.buffer.span)
            return unsafe tapline_lua_uri(
                scheme: text.part(parts.scheme),
                authority: text.part(parts.authority),
                path: text.part(parts.path),
                query: text.part(parts.query),
                fragment: text.part(parts.fragment),
                has_scheme: parts.scheme != nil,
                has_authority: parts.authority != nil,
                has_query: parts.query != nil,
                has_fragment: parts.fragment != nil
            )
        }
        unsafe uri_write = { parts, room in
            guard let uri = unsafe parts?.pointee else { return 0 }
            var writer = URIWriter(capacity: 256)
            if unsafe uri.has_scheme { unsafe writer.appendScheme(uri.scheme.buffer.span) }
            if unsafe uri.has_authority {
                unsafe writer.append(uri.authority.buffer.span, after: "//")
            }
            unsafe writer.append(uri.path.buffer.span)
            if unsafe uri.has_query { unsafe writer.append(uri.query.buffer.span, after: "?") }
            if unsafe uri.has_fragment {
                unsafe writer.append(uri.fragment.buffer.span, after: "#")
            }
            return unsafe writer.bytes.copy(to: room)
        }
        unsafe uri_resolve = { reference, base, room in
            let uri = unsafe URIReference.resolve(reference.buffer.span, against: base.buffer.span)
            return unsafe uri?.copy(to: room) ?? -1
        }
    }
}

extension tapline_lua_bytes {
    /// A part of the bytes; empty if it is absent.
    @unsafe
    fileprivate func part(_ range: Range<Int>?) -> tapline_lua_bytes {
        guard let range else { return unsafe tapline_lua_bytes() }
        return unsafe self[range]
    }
}

// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for URIs and relative references.
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
            guard let uri = unsafe parts?.pointee, let room = unsafe room else { return 0 }
            let capacity =
                unsafe uri.scheme.count + uri.authority.count + uri.path.count
                + uri.query.count + uri.fragment.count + 5
            return unsafe room.write(upTo: capacity) { output in
                if unsafe uri.has_scheme { unsafe output.appendScheme(uri.scheme.buffer.span) }
                if unsafe uri.has_authority {
                    unsafe output.append(uri.authority.buffer.span, after: "//")
                }
                unsafe output.append(copying: uri.path.buffer.span)
                if unsafe uri.has_query { unsafe output.append(uri.query.buffer.span, after: "?") }
                if unsafe uri.has_fragment {
                    unsafe output.append(uri.fragment.buffer.span, after: "#")
                }
            }
        }
        unsafe uri_resolve = { reference, base, room in
            guard let room = unsafe room else { return -1 }
            var isResolved = false
            let count = unsafe room.write(upTo: reference.count + base.count + 1) { output in
                isResolved = unsafe URIReference.resolve(
                    reference.buffer.span,
                    against: base.buffer.span,
                    into: &output
                )
            }
            return isResolved ? count : -1
        }
    }
}

extension tapline_lua_bytes {
    /// The bytes in a range; empty if the range is `nil`.
    @unsafe
    fileprivate func part(_ range: Range<Int>?) -> tapline_lua_bytes {
        guard let range else { return unsafe tapline_lua_bytes() }
        return unsafe self[range]
    }
}

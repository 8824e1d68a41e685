// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for percent-encoding, request targets and URLs.
    mutating func setURLFunctions() {
        unsafe percent_decode = { text, plusIsSpace, room in
            unsafe PercentEncoding.decode(text.buffer.span, plusIsSpace: plusIsSpace).copy(to: room)
        }
        unsafe percent_encode = { text, room in
            unsafe PercentEncoding.encode(text.buffer.span).copy(to: room)
        }
        unsafe target_split = { target in
            let parts = unsafe TargetParts(target.buffer.span)
            let end = parts.fragment.lowerBound
            return unsafe tapline_lua_target(
                prefix: target[parts.prefix],
                path: target[parts.path],
                query: target[parts.query ?? end..<end],
                fragment: target[parts.fragment],
                has_query: parts.query != nil
            )
        }
        unsafe authority_split = { authority, scheme in
            let bytes = unsafe authority.buffer.span
            let parts = AuthorityParts(bytes)
            let port = unsafe parts.portNumber(bytes, scheme: scheme.buffer.span)
            return unsafe tapline_lua_authority(
                host: authority[parts.host],
                rest: authority[parts.host.upperBound..<bytes.count],
                port: port.map(Int64.init) ?? -1
            )
        }
        unsafe url_write = { method, scheme, authority, target, room in
            var url: [UInt8] = []
            unsafe Request.appendURL(
                method.buffer.span,
                scheme.buffer.span,
                authority.buffer.span,
                target.buffer.span,
                to: &url
            )
            return unsafe url.copy(to: room)
        }
    }
}

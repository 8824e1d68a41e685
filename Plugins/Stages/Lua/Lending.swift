// SPDX-License-Identifier: MIT

// How an exchange is lent to C: nothing is copied, every pointer is good for the call only.
// Messages are lent by mutating functions, though these change nothing: the compiler then reads them
// where they lie instead of copying them with a reference count for each part.

internal import CLuaShims
internal import TaplineModel

extension Span where Element == UInt8 {
    /// Lends the bytes.
    @unsafe
    @inline(__always)
    func lend(_ body: (tapline_lua_bytes) -> Int32) -> Int32 {
        unsafe withUnsafeBufferPointer {
            unsafe body(tapline_lua_bytes(bytes: $0.baseAddress, count: $0.count))
        }
    }
}

extension FieldSection {
    /// Lends the fields as they are stored.
    @unsafe
    @inline(__always)
    func lend(_ body: (tapline_lua_section) -> Int32) -> Int32 {
        let (bytes, entries) = storage
        return unsafe bytes.span.lend { bytes in
            unsafe entries.withUnsafeBytes { raw in
                unsafe body(
                    tapline_lua_section(
                        bytes: bytes,
                        entries: raw.baseAddress?.assumingMemoryBound(to: tapline_lua_entry.self),
                        count: raw.count / MemoryLayout<tapline_lua_entry>.stride
                    )
                )
            }
        }
    }
}

/// A body as a script may read it.
struct ReadableBody {
    /// The decoded bytes, where the kept ones are coded.
    var decoded: [UInt8]?
    /// One of C's numbers.
    var reading = Int32(TAPLINE_LUA_BODY_READABLE)

    /// Lends the bytes of a body.
    @unsafe
    @inline(__always)
    func lend(_ body: Body, _ action: (tapline_lua_body) -> Int32) -> Int32 {
        let bytes = decoded ?? body.bytes
        return unsafe bytes.span.lend { bytes in
            unsafe action(
                tapline_lua_body(
                    bytes: bytes,
                    size: body.size.map(Int64.init) ?? -1,
                    reading: reading,
                    truncated: body.isTruncated
                )
            )
        }
    }
}

extension Request {
    /// Lends the request.
    @unsafe
    @inline(__always)
    mutating func lend(
        _ readable: ReadableBody,
        writable: Bool,
        _ action: (tapline_lua_message) -> Int32
    ) -> Int32 {
        var message = unsafe tapline_lua_message()
        unsafe message.present = true
        unsafe message.writable = writable
        return unsafe method.span.lend { method in
            unsafe message.method = method
            return unsafe target.span.lend { target in
                unsafe message.target = target
                return unsafe scheme.span.lend { scheme in
                    unsafe message.scheme = scheme
                    return unsafe authority.span.lend { authority in
                        unsafe message.authority = authority
                        return unsafe version.span.lend { version in
                            unsafe message.version = version
                            return unsafe fields.lend { fields in
                                unsafe message.headers = fields
                                return unsafe readable.lend(body) { body in
                                    unsafe message.body = body
                                    return unsafe action(message)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension Response {
    /// Lends the response.
    @unsafe
    @inline(__always)
    mutating func lend(
        _ readable: ReadableBody,
        writable: Bool,
        _ action: (tapline_lua_message) -> Int32
    ) -> Int32 {
        var message = unsafe tapline_lua_message()
        unsafe message.present = true
        unsafe message.writable = writable
        unsafe message.status = Int64(status)
        return unsafe reason.span.lend { reason in
            unsafe message.reason = reason
            return unsafe version.span.lend { version in
                unsafe message.version = version
                return unsafe fields.lend { fields in
                    unsafe message.headers = fields
                    return unsafe readable.lend(body) { body in
                        unsafe message.body = body
                        return unsafe action(message)
                    }
                }
            }
        }
    }
}

extension Timing {
    /// Fills in the durations, in the order that C knows.
    @unsafe
    func fill(_ view: inout tapline_lua_exchange) {
        func count(_ length: Microseconds?) -> Int64 { length?.count ?? .min }
        unsafe view.timing = (
            count(dns), count(connect), count(tls), count(send), count(wait), count(receive),
            count(total)
        )
    }
}

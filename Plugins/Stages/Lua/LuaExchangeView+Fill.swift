// SPDX-License-Identifier: MIT

// Lends an exchange to C. Only addresses are copied, and every pointer is valid for the call only.
// The code accesses the exchange in place, through pointers to its parts: reading a part by value
// would retain and release its references, which costs more than an empty hook.

internal import CLuaShims
internal import TaplineModel

extension Span where Element == UInt8 {
    /// The bytes for C, valid as long as the owner is neither changed nor moved.
    @unsafe
    @inline(__always)
    var lent: tapline_lua_bytes {
        unsafe withUnsafeBufferPointer {
            unsafe tapline_lua_bytes(bytes: $0.baseAddress, count: $0.count)
        }
    }
}

/// The bytes of a string for C, valid as long as it is neither changed nor moved.
@unsafe
@inline(__always)
func lent(_ string: UnsafePointer<ByteString>?) -> tapline_lua_bytes {
    guard let string = unsafe string else { return unsafe tapline_lua_bytes() }
    let bytes = unsafe ByteString.bytes(at: string)
    return unsafe tapline_lua_bytes(bytes: bytes.baseAddress, count: bytes.count)
}

extension FieldSection {
    /// The fields for C, valid as long as the section is not changed.
    @unsafe
    @inline(__always)
    var lent: tapline_lua_section {
        unsafe entrySpan.withUnsafeBytes { raw in
            unsafe tapline_lua_section(
                bytes: byteSpan.lent,
                entries: raw.baseAddress?.assumingMemoryBound(to: tapline_lua_entry.self),
                count: entrySpan.count
            )
        }
    }
}

extension Request {
    /// Lends the head of the request to C.
    @unsafe
    @inline(__always)
    static func lendHead(
        _ request: UnsafePointer<Request>,
        to view: UnsafeMutablePointer<tapline_lua_message>
    ) {
        unsafe view.pointee.present = true
        unsafe view.pointee.method = lent(request.pointer(to: \.method))
        unsafe view.pointee.target = lent(request.pointer(to: \.target))
        unsafe view.pointee.scheme = lent(request.pointer(to: \.scheme))
        unsafe view.pointee.authority = lent(request.pointer(to: \.authority))
        unsafe view.pointee.version = lent(request.pointer(to: \.version))
        unsafe view.pointee.headers = request.pointee.fields.lent
    }
}

extension Response {
    /// Lends the head of the response to C.
    @unsafe
    @inline(__always)
    static func lendHead(
        _ response: UnsafePointer<Response>,
        to view: UnsafeMutablePointer<tapline_lua_message>
    ) {
        unsafe view.pointee.present = true
        unsafe view.pointee.status = Int64(response.pointee.status)
        unsafe view.pointee.reason = lent(response.pointer(to: \.reason))
        unsafe view.pointee.version = lent(response.pointer(to: \.version))
        unsafe view.pointee.headers = response.pointee.fields.lent
    }
}

extension StreamMessage {
    private static let text: StaticString = "text"
    private static let binary: StaticString = "binary"
    private static let event: StaticString = "event"

    /// Lends the properties of the message that the hook `message` gets, without its bytes.
    @unsafe
    func lendProperties(to view: UnsafeMutablePointer<tapline_lua_exchange>) {
        let name = type == "text" ? Self.text : isEvent ? Self.event : Self.binary
        unsafe view.pointee.message_type = tapline_lua_bytes(
            bytes: name.utf8Start,
            count: name.utf8CodeUnitCount
        )
        unsafe view.pointee.message = properties
    }

    /// The properties of a message for C, without the location of its bytes.
    var properties: tapline_lua_stream_message {
        tapline_lua_stream_message(
            type_start: 0,
            type_count: 0,
            start: 0,
            count: 0,
            event_count: 0,
            id_count: 0,
            at: at?.count ?? .min,
            size: size.map(Int64.init) ?? -1,
            code: code.map { Int32(clamping: $0) } ?? -1,
            is_up: direction == .up,
            truncated: isTruncated
        )
    }
}

extension Timing {
    /// Fills in the durations, in the order that C expects.
    @unsafe
    @inline(__always)
    func fill(_ view: UnsafeMutablePointer<tapline_lua_exchange>) {
        func count(_ length: Microseconds?) -> Int64 { length?.count ?? .min }
        unsafe view.pointee.timing = (
            count(dns), count(connect), count(tls), count(send), count(wait), count(receive),
            count(total)
        )
    }
}

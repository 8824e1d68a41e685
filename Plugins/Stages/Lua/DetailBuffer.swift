// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel
internal import TaplineProtobuf

/// The rarely used details of an exchange in the flat layout that C reads; reused for each call.
struct DetailBuffer {
    private var bytes: [UInt8] = []
    private var entries: [tapline_lua_entry] = []
    private var messages: GRPCMessageList
    private var requestTrailers = 0
    private var responseTrailers = 0
    private var interim = 0

    /// Creates an empty buffer; messages of known types have the names of their fields.
    init(_ schema: ProtobufSchema? = nil) { messages = GRPCMessageList(schema) }

    /// Copies the details of an exchange; details beyond 4 GiB in total are left out.
    mutating func fill(_ exchange: borrowing Exchange) {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        fillDetails(exchange)
        let detailCount = entries.count
        append(exchange.request.trailers)
        requestTrailers = entries.count - detailCount
        if let response = exchange.response {
            append(response.trailers)
            responseTrailers = entries.count - detailCount - requestTrailers
            for answer in response.interim {
                append(String(answer.status))
                append(answer.reason)
                append(answer.fields)
            }
        } else {
            responseTrailers = 0
        }
        interim = entries.count - detailCount - requestTrailers - responseTrailers
    }

    /// Lends the details, valid until the next `fill`.
    @unsafe
    func lend(to view: UnsafeMutablePointer<tapline_lua_exchange>) {
        unsafe view.pointee.details = unsafe entries.withUnsafeBufferPointer { entries in
            unsafe tapline_lua_details(
                bytes: bytes.span.lent,
                entries: entries.baseAddress,
                request_trailers: requestTrailers,
                response_trailers: responseTrailers,
                interim: interim
            )
        }
    }

    /// The details, in the order of their numbers.
    private mutating func fillDetails(_ exchange: borrowing Exchange) {
        append(exchange.connection.tls)
        append(exchange.connection.serverTLS)
        append(exchange.original.method ?? ByteString())
        append(exchange.original.url ?? ByteString())
        append(exchange.original.status.map(String.init) ?? "")
        append(exchange.error?.code ?? "")
        append(exchange.error?.message ?? "")
        append(exchange.connection.isReused.map(String.init) ?? "")
        append(exchange.bytes.map { String($0.up.total) } ?? "")
        append(exchange.bytes.map { String($0.down.total) } ?? "")
        append(exchange.bytes.map { String($0.isExact) } ?? "")
        appendCall(exchange)
    }

    /// The gRPC call; its messages are JSON.
    private mutating func appendCall(_ exchange: borrowing Exchange) {
        guard GRPCCall.form(exchange) != nil else {
            for _ in 0..<6 { append("") }
            return
        }
        append(GRPCCall.service(exchange) ?? ByteString())
        append(GRPCCall.method(exchange) ?? ByteString())
        append(GRPCCall.status(exchange) ?? "")
        append(GRPCCall.message(exchange) ?? "")
        let list = messages.json(of: exchange)
        append(name: "".utf8.span, value: list.span)
        append(messages.leftOut > 0 ? String(messages.leftOut) : "")
    }

    private mutating func append(_ tls: TLSInfo?) {
        append(tls?.version ?? "")
        append(tls?.cipher ?? "")
        append(tls?.sni ?? "")
        append(tls?.alpn ?? "")
    }

    private mutating func append(_ value: String) {
        append(name: "".utf8.span, value: value.utf8.span)
    }

    private mutating func append(_ value: ByteString) {
        append(name: "".utf8.span, value: value.span)
    }

    private mutating func append(_ fields: FieldSection) {
        for position in fields.indices {
            append(name: fields.name(at: position), value: fields.value(at: position))
        }
    }

    private mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let start = bytes.count
        let fits = start + name.count + value.count < Int(UInt32.max)
        if fits {
            bytes.append(copying: name)
            bytes.append(copying: value)
        }
        entries.append(
            tapline_lua_entry(
                start: UInt32(truncatingIfNeeded: start),
                name_count: fits ? UInt32(truncatingIfNeeded: name.count) : 0,
                value_count: fits ? UInt32(truncatingIfNeeded: value.count) : 0
            )
        )
    }
}

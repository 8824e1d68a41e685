// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf

/// Prepares the parts of an exchange for C, and holds copies of those that C cannot read in place.
final class LuaExchangeView {
    /// The limits for decoding bodies.
    let limits: DecodingLimits
    private let clock: @Sendable () -> Timestamp
    /// A single variable, so that exclusive access is checked only once for each lent part.
    private var buffers = LuaExchangeBuffers()

    init(
        limits: DecodingLimits,
        clock: @escaping @Sendable () -> Timestamp,
        schema: ProtobufSchema? = nil
    ) {
        self.limits = limits
        self.clock = clock
        buffers.details = DetailBuffer(schema)
    }

    /// Fills in one part of the view, given its number in C.
    ///
    /// The exchange must not move during the call.
    @unsafe
    func lend(_ part: Int, of call: LuaHookCall, to view: StateView) {
        switch part {
        case TAPLINE_LUA_LENDS_MESSAGES: unsafe buffers.lendMessages(of: call, to: view)
        case TAPLINE_LUA_LENDS_ORIGIN: unsafe lendOrigin(of: call, to: view)
        case TAPLINE_LUA_LENDS_DETAILS:
            unsafe buffers.details.fill(call.exchange.pointee)
            unsafe buffers.details.lend(to: view.exchange)
        case TAPLINE_LUA_LENDS_STREAM:
            unsafe buffers.stream.fill(call.exchange.pointee.messages)
            unsafe buffers.stream.lend(to: view.exchange)
        case TAPLINE_LUA_LENDS_REQUEST_BODY:
            let body = unsafe call.exchange.pointer(to: \.request)?.pointer(to: \.body)
            unsafe decode(body, into: &buffers.decodedRequest, to: view.request)
        case TAPLINE_LUA_LENDS_RESPONSE_BODY:
            let body = unsafe call.exchange.response?.pointer(to: \.body)
            unsafe decode(body, into: &buffers.decodedResponse, to: view.response)
        default: unsafe view.setTime(clock())
        }
    }

    /// Frees the bodies that were decoded for a call.
    func dropBodies() {
        buffers.decodedRequest = []
        buffers.decodedResponse = []
    }

    /// Lends the origin of an exchange and the durations of its phases.
    @unsafe
    private func lendOrigin(of call: LuaHookCall, to view: StateView) {
        let exchange = unsafe call.exchange
        let lent = unsafe view.exchange
        let isRecord = unsafe call.plane == .record
        unsafe lent.pointee.source = view.keep(exchange.pointee.source)
        unsafe lent.pointee.client = view.keep(exchange.pointee.connection.client)
        unsafe lent.pointee.server = view.keep(exchange.pointee.connection.server)
        unsafe lent.pointee.state = view.keep(isRecord ? exchange.pointee.state.name : "")
        unsafe exchange.pointee.timing.fill(lent)
    }

    /// Decodes an encoded body and lends the result.
    @unsafe
    private func decode(
        _ body: UnsafePointer<Body>?,
        into buffer: inout [UInt8],
        to view: UnsafeMutablePointer<tapline_lua_message>
    ) {
        unsafe view.pointee.body.reading = Int32(TAPLINE_LUA_BODY_CODED)
        guard let body = unsafe body else { return }
        let coding = unsafe body.pointee.coding
        guard
            let bytes = try? ContentCoding.decode(
                unsafe body.pointee.bytes.span,
                codings: ContentCoding.list(coding.span),
                limits: limits
            )
        else { return }
        buffer = bytes
        unsafe view.pointee.body.bytes = buffer.span.lent
        unsafe view.pointee.body.reading = Int32(TAPLINE_LUA_BODY_READABLE)
    }
}

/// The buffers for parts that are copied from the exchange; reused for each call.
private struct LuaExchangeBuffers {
    var tags = NoteBuffer()
    var vars = NoteBuffer()
    var details = DetailBuffer()
    var stream = StreamBuffer()
    var decodedRequest: [UInt8] = []
    var decodedResponse: [UInt8] = []

    /// Lends the parts of both messages that need no decoding, and the notes.
    @unsafe
    mutating func lendMessages(of call: LuaHookCall, to view: StateView) {
        let (exchange, context) = unsafe (call.exchange, call.context)
        if unsafe !tags.isEmpty || !exchange.pointee.tags.isEmpty {
            tags.fill(unsafe exchange.pointee.tags)
        }
        if unsafe !vars.isEmpty || !context.pointee.vars.isEmpty {
            vars.fill(unsafe context.pointee.vars)
        }
        unsafe lendNotes(exchange, view)
        let isRecord = unsafe call.plane == .record
        if let request = unsafe exchange.pointer(to: \.request) {
            unsafe Request.lendHead(request, to: view.request)
            unsafe lendBody(
                request.pointer(to: \.body),
                isThere: isRecord || context.pointee.hasRequestBody,
                to: view.request
            )
        }
        guard unsafe exchange.hasResponse, let response = unsafe exchange.response else {
            unsafe view.response.pointee.present = false
            return
        }
        unsafe Response.lendHead(response, to: view.response)
        unsafe lendBody(
            response.pointer(to: \.body),
            isThere: isRecord || context.pointee.hasResponseBody,
            to: view.response
        )
    }

    @unsafe
    @inline(__always)
    private func lendNotes(_ exchange: UnsafePointer<Exchange>, _ view: StateView) {
        let view = unsafe view.exchange
        unsafe view.pointee.id_high = exchange.pointee.id.high
        unsafe view.pointee.id_low = exchange.pointee.id.low
        unsafe view.pointee.started = exchange.pointee.started.microseconds
        unsafe view.pointee.tags = tags.lent
        unsafe view.pointee.vars = vars.lent
    }

    /// Lends a body; an encoded body is decoded when the script reads it.
    @unsafe
    @inline(__always)
    private func lendBody(
        _ body: UnsafePointer<Body>?,
        isThere: Bool,
        to view: UnsafeMutablePointer<tapline_lua_message>
    ) {
        guard let body = unsafe body else { return }
        var reading = TAPLINE_LUA_BODY_READABLE
        let isCut = unsafe body.pointee.isTruncated
        // No bytes of a streamed body have arrived yet, even if its source marks it as truncated.
        if !isThere, unsafe isCut ? body.pointee.bytes.isEmpty : body.pointee.size != 0 {
            reading = TAPLINE_LUA_BODY_STREAMED
        } else if isCut {
            reading = TAPLINE_LUA_BODY_CUT
        } else if unsafe !body.pointee.coding.isEmpty {
            reading = TAPLINE_LUA_BODY_NOT_DECODED
        }
        unsafe view.pointee.body = tapline_lua_body(
            bytes: body.pointee.bytes.span.lent,
            content_type: lent(body.pointer(to: \.contentType)),
            size: body.pointee.size.map(Int64.init) ?? -1,
            reading: Int32(truncatingIfNeeded: reading),
            truncated: isCut
        )
    }
}

extension UnsafePointer<Exchange> {
    /// Whether there is a response.
    @inline(__always)
    fileprivate var hasResponse: Bool {
        if case .some = unsafe pointee.response { return true }
        return false
    }

    /// The response in place; an optional stores its value at its own address.
    @inline(__always)
    fileprivate var response: UnsafePointer<Response>? {
        unsafe pointer(to: \.response).map {
            unsafe UnsafeRawPointer($0).assumingMemoryBound(to: Response.self)
        }
    }
}

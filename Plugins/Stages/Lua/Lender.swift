// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

/// Lays out the parts of an exchange as C reads them, and holds what does not lie in the exchange
/// that way.
final class Lender {
    /// How far bodies are decoded.
    let limits: DecodingLimits
    private let clock: @Sendable () -> Timestamp
    /// One variable, so that access is checked once for each part that is lent.
    private var buffers = LendingBuffers()

    init(limits: DecodingLimits, clock: @escaping @Sendable () -> Timestamp) {
        self.limits = limits
        self.clock = clock
    }

    /// Fills in one part of the view, by its number in C; the exchange must stay where it is for the
    /// length of the call.
    @unsafe
    func lend(_ part: Int, of call: LentCall, to view: StateView) {
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

    /// Frees the bodies that a call had decoded.
    func dropBodies() {
        buffers.decodedRequest = []
        buffers.decodedResponse = []
    }

    /// Lends where an exchange came from and how long its phases took.
    @unsafe
    private func lendOrigin(of call: LentCall, to view: StateView) {
        let exchange = unsafe call.exchange
        let lent = unsafe view.exchange
        let isRecord = unsafe call.plane == .record
        unsafe lent.pointee.source = view.keep(exchange.pointee.source)
        unsafe lent.pointee.client = view.keep(exchange.pointee.connection.client)
        unsafe lent.pointee.server = view.keep(exchange.pointee.connection.server)
        unsafe lent.pointee.state = view.keep(isRecord ? exchange.pointee.state.name : "")
        unsafe exchange.pointee.timing.fill(lent)
    }

    /// Decodes a coded body and lends what it decodes to.
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

/// What is laid out apart from the exchange; used again for each call.
private struct LendingBuffers {
    var tags = NoteBuffer()
    var vars = NoteBuffer()
    var details = DetailBuffer()
    var stream = StreamBuffer()
    var decodedRequest: [UInt8] = []
    var decodedResponse: [UInt8] = []

    /// Lends both messages as far as they need no decoding, and the notes.
    @unsafe
    mutating func lendMessages(of call: LentCall, to view: StateView) {
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

    /// Lends a body; one that is coded is decoded once the script reads it.
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
        // Of a body that streams nothing is there yet, whether or not its source says that it is cut.
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

    /// The response where it lies; an optional has its value where it lies itself.
    @inline(__always)
    fileprivate var response: UnsafePointer<Response>? {
        unsafe pointer(to: \.response).map {
            unsafe UnsafeRawPointer($0).assumingMemoryBound(to: Response.self)
        }
    }
}

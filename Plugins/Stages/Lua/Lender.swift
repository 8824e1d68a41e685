// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

/// Lays out an exchange as C reads it, and holds what does not lie in the exchange that way.
struct Lender {
    /// How far bodies are decoded.
    let limits: DecodingLimits
    private var tags = NoteBuffer()
    private var vars = NoteBuffer()
    private let clock: @Sendable () -> Timestamp
    private var details = DetailBuffer()
    /// Whether coded bodies are decoded.
    private var decodes = false
    private var decodedRequest: [UInt8] = []
    private var decodedResponse: [UInt8] = []

    init(limits: DecodingLimits, clock: @escaping @Sendable () -> Timestamp) {
        self.limits = limits
        self.clock = clock
    }

    /// Fills in what a hook may read without touching its exchange.
    @unsafe
    @inline(__always)
    func prepare(_ view: StateView) {
        guard unsafe view.needs.pointee & UInt32(TAPLINE_LUA_NEEDS_TIME) != 0 else { return }
        unsafe view.setTime(clock())
    }

    /// Fills in what a hook reads of an exchange, which must stay where it is for the call.
    @unsafe
    mutating func lend(_ call: LentCall, to view: StateView) {
        let (exchange, context) = unsafe (call.exchange, call.context)
        let needs = unsafe view.needs.pointee
        if needs != 0 { unsafe lendWhatIsNeeded(needs, call.plane, exchange, to: view) }
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
                isRequest: true,
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
            isRequest: false,
            to: view.response
        )
    }

    /// Lends what few scripts read.
    @unsafe
    private mutating func lendWhatIsNeeded(
        _ needs: UInt32,
        _ plane: Plane,
        _ exchange: UnsafePointer<Exchange>,
        to view: StateView
    ) {
        decodes = needs & UInt32(TAPLINE_LUA_NEEDS_BODIES) != 0
        if needs & UInt32(TAPLINE_LUA_NEEDS_ORIGIN) != 0 {
            unsafe lendOrigin(plane, exchange, view)
        }
        guard needs & UInt32(TAPLINE_LUA_NEEDS_DETAILS) != 0 else { return }
        let withMessages = needs & UInt32(TAPLINE_LUA_NEEDS_MESSAGES) != 0
        details.fill(unsafe exchange.pointee, withMessages: withMessages)
        unsafe details.lend(to: view.exchange)
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

    /// Lends where an exchange came from and how it went, which are no flat bytes in it.
    @unsafe
    private func lendOrigin(
        _ plane: Plane,
        _ exchange: UnsafePointer<Exchange>,
        _ view: StateView
    ) {
        let lent = unsafe view.exchange
        unsafe lent.pointee.has_origin = true
        unsafe lent.pointee.source = view.keep(exchange.pointee.source)
        unsafe lent.pointee.client = view.keep(exchange.pointee.connection.client)
        unsafe lent.pointee.server = view.keep(exchange.pointee.connection.server)
        unsafe lent.pointee.state =
            view.keep(plane == .record ? exchange.pointee.state.name : "")
        unsafe exchange.pointee.timing.fill(lent)
    }

    /// Lends a body, decoded where it is coded and the script seems to read bodies.
    @unsafe
    @inline(__always)
    private mutating func lendBody(
        _ body: UnsafePointer<Body>?,
        isThere: Bool,
        isRequest: Bool,
        to view: UnsafeMutablePointer<tapline_lua_message>
    ) {
        guard let body = unsafe body else { return }
        var reading = TAPLINE_LUA_BODY_READABLE
        var bytes = unsafe body.pointee.bytes.span.lent
        let isCut = unsafe body.pointee.isTruncated
        // Of a body that streams nothing is there yet, whether or not its source says that it is cut.
        if !isThere, unsafe isCut ? body.pointee.bytes.isEmpty : body.pointee.size != 0 {
            reading = TAPLINE_LUA_BODY_STREAMED
        } else if isCut {
            reading = TAPLINE_LUA_BODY_CUT
        } else if unsafe !body.pointee.coding.isEmpty {
            reading = unsafe decode(body, isRequest: isRequest)
            unsafe bytes = isRequest ? decodedRequest.span.lent : decodedResponse.span.lent
        }
        unsafe view.pointee.body = tapline_lua_body(
            bytes: bytes,
            content_type: lent(body.pointer(to: \.contentType)),
            size: body.pointee.size.map(Int64.init) ?? -1,
            reading: Int32(truncatingIfNeeded: reading),
            truncated: isCut
        )
    }

    /// Decodes a body; gives one of C's numbers.
    @unsafe
    private mutating func decode(_ body: UnsafePointer<Body>, isRequest: Bool) -> Int {
        guard decodes else { return TAPLINE_LUA_BODY_NOT_DECODED }
        let coding = unsafe body.pointee.coding
        let codings = ContentCoding.list(coding.span)
        guard
            let bytes = try? ContentCoding.decode(
                unsafe body.pointee.bytes.span,
                codings: codings,
                limits: limits
            )
        else { return TAPLINE_LUA_BODY_CODED }
        if isRequest { decodedRequest = bytes } else { decodedResponse = bytes }
        return TAPLINE_LUA_BODY_READABLE
    }

    /// Gives back what a call needed.
    mutating func takeBack() {
        if !decodedRequest.isEmpty { decodedRequest = [] }
        if !decodedResponse.isEmpty { decodedResponse = [] }
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

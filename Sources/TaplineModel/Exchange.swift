// SPDX-License-Identifier: MIT

/// How an exchange ended; every exchange ends in exactly one of these ways.
@frozen
public enum ExchangeState: UInt8, Sendable, Hashable, CaseIterable {
    /// The response was received whole.
    case completed
    /// Something went wrong; `error` says what.
    case failed
    /// The client, or a stage, gave it up.
    case cancelled

    /// The word in records: `completed`, `failed` or `cancelled`.
    public var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

/// One HTTP request with its response, or with the failure that took the response's place
/// (RFC 9110 §3.4).
///
/// **Shape**: a value, handed on whole and never shared while it may change. What leaves the
/// record stages is sealed, and from then on final.
@frozen
public struct Exchange: Sendable, Equatable {
    /// Sorts by start time.
    public var id: ExchangeID
    /// The id of the component that captured it.
    public var source: String
    /// How it ended.
    public var state: ExchangeState
    /// When it began, by the wall clock.
    public var started: Timestamp
    /// The request as it was sent to the server.
    public var request: Request
    /// The response as it was sent to the client.
    ///
    /// Not `Response?`, as other optionals here, which is `nil` at first: to set it again has the
    /// initializer copy all of the exchange.
    public var response: Optional<Response>
    /// How long the phases took.
    public var timing: Timing
    /// Addresses and TLS.
    public var connection: Connection
    /// Bytes on the client's leg.
    public var bytes: Optional<ByteCounts>
    /// WebSocket messages and server-sent events, in order.
    public var messages: [StreamMessage]
    /// What a wire hook replaced.
    public var original: Original
    /// What stages noted; sinks store it.
    public var tags: Tags
    /// What went wrong.
    public var error: Optional<ExchangeError>
    /// What a HAR file says of the exchange beyond this model, as a JSON object; empty if nothing.
    ///
    /// Pages, comments, fields of tools. Only the formats read and write it, and `redact` edits it
    /// as JSON: it has the form of the key `har` of the record schema.
    public var har: ByteString
    /// Holds `extra`.
    @usableFromInline
    var extraBox: Optional<ExtraBox>

    /// An exchange of a request, the rest not known yet.
    @inlinable
    public init(
        id: ExchangeID,
        source: String = "",
        state: ExchangeState = .completed,
        started: Timestamp = Timestamp(microseconds: 0),
        request: Request = Request(),
        response: Response? = nil
    ) {
        self.id = id
        self.source = source
        self.state = state
        self.started = started
        self.request = request
        self.response = response
        timing = Timing()
        connection = Connection()
        bytes = nil
        messages = []
        original = Original()
        tags = Tags()
        error = nil
        har = ByteString()
        extraBox = nil
    }
}

/// Why an exchange has no response, or not all of it.
@frozen
public struct ExchangeError: Sendable, Equatable {
    /// A short word for programs: `reset`, `dns`, `aborted`.
    public var code: String
    /// A sentence for people.
    public var message: String

    /// An error of a code and a message.
    @inlinable
    public init(code: String, message: String = "") {
        self.code = code
        self.message = message
    }
}

/// What stood in the request and the response before a wire hook changed them, or a proxy sent the
/// request to another server than its URL named.
@frozen
public struct Original: Sendable, Equatable {
    /// The former method.
    public var method: Optional<ByteString>
    /// The former URL.
    public var url: Optional<ByteString>
    /// The former status code.
    public var status: Optional<Int>

    /// Nothing was replaced.
    @inlinable
    public init(method: ByteString? = nil, url: ByteString? = nil, status: Int? = nil) {
        self.method = method
        self.url = url
        self.status = status
    }

    /// Whether nothing was replaced.
    @inlinable
    public var isEmpty: Bool { method == nil && url == nil && status == nil }
}

/// A WebSocket message or a server-sent event.
@frozen
public struct StreamMessage: Sendable, Equatable {
    /// Which way a message went.
    @frozen
    public enum Direction: UInt8, Sendable {
        /// From client to server.
        case up
        /// From server to client.
        case down
    }

    /// Which way it went.
    public var direction: Direction
    /// When it came, counted from the start of the exchange.
    public var at: Microseconds?
    /// The kind: `text`, `binary`, `close`, `ping`, `pong` or, for server-sent events, `event`.
    public var type: String
    /// The type that the server gave a server-sent event; empty where it named none.
    public var event: String
    /// The last id that the server had named with a server-sent event; empty where there was none.
    public var eventID: String
    /// The status of a `close` that holds one (RFC 6455 §7.4); its bytes are then the reason alone.
    public var code: Int?
    /// The kept bytes.
    public var bytes: [UInt8]
    /// The size on the wire, when known.
    public var size: Int?
    /// Whether bytes are missing at the end.
    public var isTruncated: Bool

    /// A message of these parts.
    @inlinable
    public init(
        direction: Direction,
        at: Microseconds? = nil,
        type: String = "text",
        event: String = "",
        eventID: String = "",
        code: Int? = nil,
        bytes: [UInt8],
        size: Int? = nil,
        isTruncated: Bool = false
    ) {
        self.direction = direction
        self.at = at
        self.type = type
        self.event = event
        self.eventID = eventID
        self.code = code
        self.bytes = bytes
        self.size = size
        self.isTruncated = isTruncated
    }
}

extension StreamMessage {
    /// Whether it is a message of a WebSocket that carries data, and no control frame or event.
    @inlinable
    public var isData: Bool { type == "text" || type == "binary" }

    /// Whether it is a server-sent event.
    @inlinable
    public var isEvent: Bool { type == "event" }

    /// About how much memory it takes.
    package var memory: Int {
        MemoryLayout<StreamMessage>.stride + bytes.count + event.utf8.count + eventID.utf8.count
    }
}

/// Bytes that crossed the client's leg, in both directions.
@frozen
public struct ByteCounts: Sendable, Equatable {
    /// The bytes of one direction.
    @frozen
    public struct Direction: Sendable, Equatable {
        /// Request line or status line with its line end.
        public var line: Int
        /// Field lines and the empty line after them.
        public var headers: Int
        /// The body as framed.
        public var body: Int

        /// The bytes of line, headers and body.
        @inlinable
        public init(line: Int = 0, headers: Int = 0, body: Int = 0) {
            self.line = line
            self.headers = headers
            self.body = body
        }

        /// All three together; a sum that does not fit stays at the largest number.
        @inlinable
        public var total: Int {
            let (headAndLine, overflow) = line.addingReportingOverflow(headers)
            let (sum, carry) = headAndLine.addingReportingOverflow(body)
            return overflow || carry ? .max : sum
        }
    }

    /// From client to server.
    public var up: Direction
    /// From server to client.
    public var down: Direction
    /// Whether they were counted on the wire, or estimated.
    public var isExact: Bool

    /// The counts of both directions.
    @inlinable
    public init(up: Direction = Direction(), down: Direction = Direction(), isExact: Bool = false) {
        self.up = up
        self.down = down
        self.isExact = isExact
    }
}

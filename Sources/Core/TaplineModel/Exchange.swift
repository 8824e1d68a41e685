// SPDX-License-Identifier: MIT

/// How an exchange ended; every exchange ends in exactly one of these ways.
@frozen
public enum ExchangeState: UInt8, Sendable, Hashable, CaseIterable {
    /// The response was received completely.
    case completed
    /// An error occurred; see `error`.
    case failed
    /// The client or a stage cancelled it.
    case cancelled

    /// The value in records: `completed`, `failed` or `cancelled`.
    public var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

/// One HTTP request with its response, or with the error that occurred instead (RFC 9110 §3.4).
///
/// **Shape**: a value, passed on as a whole and never shared while it may change. After the record
/// stages it is sealed and no longer changes.
@frozen
public struct Exchange: Sendable, Equatable {
    /// The id; ids sort by start time.
    public var id: ExchangeID
    /// The id of the component that captured it.
    public var source: String
    /// How it ended.
    public var state: ExchangeState
    /// The start time, by the wall clock.
    public var started: Timestamp
    /// The request as it was sent to the server.
    public var request: Request
    /// The response as it was sent to the client.
    ///
    /// Declared as `Optional<Response>`, like other optionals here: `Response?` is initialized to
    /// `nil`, and setting it again makes the initializer copy the whole exchange.
    public var response: Optional<Response>
    /// How long the phases took.
    public var timing: Timing
    /// Addresses and TLS.
    public var connection: Connection
    /// Bytes on the client's leg.
    public var bytes: Optional<ByteCounts>
    /// WebSocket messages, server-sent events and gRPC messages, in order.
    public var messages: [StreamMessage]
    /// The parts as they were before a wire hook replaced them.
    public var original: Original
    /// Notes of stages; sinks store them.
    public var tags: Tags
    /// The error, if there was one.
    public var error: Optional<ExchangeError>
    /// What a HAR file states about the exchange beyond this model, as a JSON object; empty if
    /// nothing.
    ///
    /// It contains pages, comments and tool-specific fields. Only the formats read and write it;
    /// `redact` edits it as JSON. It has the form of the key `har` of the record schema.
    public var har: ByteString
    /// Holds `extra`.
    @usableFromInline
    var extraBox: Optional<ExtraBox>

    /// Creates an exchange of a request; everything else is unknown.
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

/// Why an exchange has no response, or only a part of it.
@frozen
public struct ExchangeError: Sendable, Equatable {
    /// A short code for programs: `reset`, `dns`, `aborted`.
    public var code: String
    /// A message for people.
    public var message: String

    /// Creates an error.
    @inlinable
    public init(code: String, message: String = "") {
        self.code = code
        self.message = message
    }
}

/// The request and response parts as they were before they were changed.
///
/// A wire hook changed them, or a proxy sent the request to a server other than the one in its URL.
@frozen
public struct Original: Sendable, Equatable {
    /// The original method.
    public var method: Optional<ByteString>
    /// The original URL.
    public var url: Optional<ByteString>
    /// The original status code.
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

/// A WebSocket message, a server-sent event or a gRPC message.
@frozen
public struct StreamMessage: Sendable, Equatable {
    /// The direction of a message.
    @frozen
    public enum Direction: UInt8, Sendable {
        /// From client to server.
        case up
        /// From server to client.
        case down
    }

    /// The direction.
    public var direction: Direction
    /// When it arrived, relative to the start of the exchange.
    public var at: Microseconds?
    /// The kind: `text`, `binary`, `close`, `ping`, `pong`, `event` (a server-sent event) or `grpc` (a
    /// gRPC message, decompressed; `size` is that on the wire).
    public var type: String
    /// The type that the server gave a server-sent event; empty if there is none.
    public var event: String
    /// The last event id that the server has sent so far; empty if there is none.
    public var eventID: String
    /// The status of a `close` frame (RFC 6455 §7.4); then `bytes` contains only the reason.
    public var code: Int?
    /// The kept bytes.
    public var bytes: [UInt8]
    /// The size on the wire, if known.
    public var size: Int?
    /// Whether bytes are missing at the end.
    public var isTruncated: Bool

    /// Creates a message.
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
    /// Whether this is a WebSocket data message, not a control frame or an event.
    @inlinable
    public var isData: Bool { type == "text" || type == "binary" }

    /// Whether this is a server-sent event.
    @inlinable
    public var isEvent: Bool { type == "event" }

    /// The approximate memory that it takes, in bytes.
    package var memory: Int {
        MemoryLayout<StreamMessage>.stride + bytes.count + event.utf8.count + eventID.utf8.count
    }
}

/// The bytes transferred on the client's leg, in both directions.
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

        /// The total of all three; saturates at the maximum.
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
    /// Whether the bytes were counted on the wire; otherwise they are estimates.
    public var isExact: Bool

    /// The counts of both directions.
    @inlinable
    public init(up: Direction = Direction(), down: Direction = Direction(), isExact: Bool = false) {
        self.up = up
        self.down = down
        self.isExact = isExact
    }
}

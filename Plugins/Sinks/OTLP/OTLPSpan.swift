// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A named value of a span, a log record or a resource.
struct OTLPAttribute: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case string(String)
        case integer(Int64)
        case strings([String])
    }

    let name: String
    let value: Value

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = .string(value)
    }

    init(_ name: String, _ value: Int) {
        self.name = name
        self.value = .integer(Int64(value))
    }

    init(_ name: String, _ value: [String]) {
        self.name = name
        self.value = .strings(value)
    }
}

/// The side of the exchange that a span describes; the number is that of OTLP.
enum OTLPKind: UInt64, Sendable {
    case server = 2
    case client = 3
}

/// An exchange as a span.
///
/// **Units**: times are nanoseconds since 1970.
struct OTLPSpan: Equatable {
    /// A moment within the span.
    struct Event: Equatable {
        let time: UInt64
        let name: String
        let attributes: [OTLPAttribute]
    }

    var trace: TraceID
    var id: UInt64
    /// The caller's span; `nil` if the request names none.
    var parent: UInt64?
    /// The flags of the trace: 8 bits of W3C Trace Context.
    var flags: UInt8 = 0
    /// The value of `tracestate`.
    var traceState = ""
    var name = ""
    var kind = OTLPKind.client
    var start: UInt64 = 0
    var end: UInt64 = 0
    /// The total time in seconds; `nil` if it is not known.
    var duration: Double?
    var attributes: [OTLPAttribute] = []
    var events: [Event] = []
    /// How many messages did not become events.
    var droppedEvents = 0
    var isError = false
    /// Why the exchange failed, if not by a status.
    var errorMessage = ""

    /// The text of the log record: method, URL, and status or failure.
    var summary = ""
    var status: Int?
}

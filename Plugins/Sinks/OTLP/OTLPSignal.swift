// SPDX-License-Identifier: MIT

internal import TaplineDelivery
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// What spans and log records come from.
struct OTLPResource: Sendable {
    var attributes: [OTLPAttribute]
    let scope = "tapline"
    let version = ProgramVersion.text

    /// The version of the semantic conventions whose names the attributes have.
    static let schema = "https://opentelemetry.io/schemas/1.37.0"
}

/// How requests are encoded.
enum OTLPEncoding: Sendable {
    case protobuf
    case json

    var contentType: String {
        switch self {
        case .protobuf: "application/x-protobuf"
        case .json: "application/json"
        }
    }
}

/// What a request contains.
enum OTLPSignal: Sendable {
    case traces
    case logs
    case metrics

    /// The path below the URL of the receiver.
    var path: String {
        switch self {
        case .traces: "/v1/traces"
        case .logs: "/v1/logs"
        case .metrics: "/v1/metrics"
        }
    }

    /// What an item is called in messages.
    var noun: String {
        switch self {
        case .traces: "spans"
        case .logs: "log records"
        case .metrics: "data points"
        }
    }

    private var names: (resource: StaticString, scope: StaticString, items: StaticString) {
        switch self {
        case .traces: ("resourceSpans", "scopeSpans", "spans")
        case .logs: ("resourceLogs", "scopeLogs", "logRecords")
        case .metrics: ("resourceMetrics", "scopeMetrics", "metrics")
        }
    }

    /// Makes the body of a request from items.
    func body(_ items: [UInt8], _ encoding: OTLPEncoding, _ resource: OTLPResource) -> [UInt8] {
        switch encoding {
        case .protobuf:
            var writer = ProtobufWriter()
            writer.request(resource, items: items)
            return writer.bytes
        case .json:
            var array: [UInt8] = [.ascii("[")]
            array += items.dropLast()
            array.append(.ascii("]"))
            var json = JSONWriter(capacity: array.count + 1024)
            json.request(resource, names, items: array)
            return Array(copying: json.bytes)
        }
    }
}

/// A part of a request.
enum OTLPItem {
    /// An exchange as a span.
    case span(OTLPSpan)
    /// An exchange as a log record.
    case log(OTLPSpan)
    /// The durations of exchanges.
    case metrics(OTLPMetrics)

    /// Appends the item; in JSON a comma follows.
    func append(_ encoding: OTLPEncoding, to content: inout [UInt8]) {
        switch encoding {
        case .protobuf:
            var writer = ProtobufWriter()
            switch self {
            case .span(let span): writer.span(span)
            case .log(let span): writer.log(span)
            case .metrics(let metrics): writer.metrics(metrics)
            }
            content += writer.bytes
        case .json:
            var json = JSONWriter()
            switch self {
            case .span(let span): json.span(span)
            case .log(let span): json.log(span)
            case .metrics(let metrics): json.metrics(metrics)
            }
            content.append(copying: json.bytes)
            content.append(.ascii(","))
        }
    }
}

/// The part of a response that says how many items were rejected.
///
/// **Source**: OTLP specification, "Partial Success".
enum PartialSuccess {
    /// Returns the number of rejected items; 0 if the response does not say.
    static func rejected(in response: DeliveryResponse) -> Int {
        guard response.isComplete, !response.body.isEmpty else { return 0 }
        let type = response.fields.first("Content-Type") ?? ByteString()
        let isJSON = type.span.contains("json".utf8.span, ignoringCase: true)
        return max(isJSON ? json(response.body) : protobuf(response.body), 0)
    }

    private static func protobuf(_ body: [UInt8]) -> Int {
        var outer = ProtobufReader(body[...])
        while let (field, value) = outer.next() {
            guard field == 1, case .bytes(let bytes) = value else { continue }
            var inner = ProtobufReader(bytes)
            while let (field, value) = inner.next() {
                if field == 1, case .varint(let number) = value { return Int(clamping: number) }
            }
        }
        return 0
    }

    private static func json(_ body: [UInt8]) -> Int {
        var parser = JSONParser(maxDepth: 16, surrogates: .replace)
        guard let document = try? parser.parse(body.span),
            let partial = document.root.member("partialSuccess")
        else { return 0 }
        // A number of 64 bits is a text; a number is accepted, too.
        if let spans = partial.member("rejectedSpans") { return spans.bytes.decimal ?? 0 }
        if let points = partial.member("rejectedDataPoints") { return points.bytes.decimal ?? 0 }
        return partial.member("rejectedLogRecords")?.bytes.decimal ?? 0
    }
}

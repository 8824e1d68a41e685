// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineDelivery
internal import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `http`: sends batches of records to an HTTP endpoint.
    public static var http: SinkPlugin {
        SinkPlugin(
            name: "http",
            summary: "Sends records to an HTTP endpoint, as NDJSON or as JSON arrays.",
            options: HTTPSinkOptions.schema,
            build: HTTPSinkOptions.build
        )
    }
}

/// The options of `http`.
enum HTTPSinkOptions {
    static let delivery = DeliveryOptions(
        url: "The endpoint that records are sent to.",
        example: "https://logs.example.test/ingest",
        gzip: false
    )
    static let method = ConfigKey(
        "method",
        .choice(["POST", "PUT", "PATCH"]),
        default: "POST",
        summary: "The method of the requests."
    )
    static let format = ConfigKey(
        "format",
        .choice([("ndjson", HTTPSinkFormat.ndjson), ("json", .json)]),
        default: .ndjson,
        summary: "`ndjson`: a record a line; `json`: an array of records."
    )

    static let schema = delivery.schema(method, format)

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        delivery.read(options, &context).map {
            HTTPSinkFactory(
                delivery: $0,
                method: ByteString(options[method]),
                format: options[format]
            )
        }
    }
}

/// How the body of a request contains records.
enum HTTPSinkFormat: Sendable {
    /// A JSON object a line.
    case ndjson
    /// One JSON array.
    case json

    var contentType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .json: "application/json"
        }
    }

    /// Makes the body of a request from records that each end with a line break.
    func body(_ lines: [UInt8]) -> [UInt8] {
        switch self {
        case .ndjson: lines
        case .json: Self.array(lines)
        }
    }

    /// The line breaks become commas: within a record, JSON escapes them.
    private static func array(_ lines: [UInt8]) -> [UInt8] {
        var body: [UInt8] = [.ascii("[")]
        body.reserveCapacity(lines.count + 1)
        for byte in lines { body.append(byte == 0x0A ? .ascii(",") : byte) }
        if body.count > 1 { body.removeLast() }
        body.append(.ascii("]"))
        return body
    }
}

/// A configured `http`, not yet open.
struct HTTPSinkFactory: SinkFactory {
    let delivery: Delivery
    let method: ByteString
    let format: HTTPSinkFormat

    var batchLimit: Int { delivery.maxRecords }
    var batchDelay: Microseconds { delivery.maxDelay }

    func open(_ context: SinkContext) throws -> any Sink { try HTTPSink(self, context) }
}

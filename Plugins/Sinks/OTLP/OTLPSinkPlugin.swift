// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineDelivery
internal import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `otlp`: sends exchanges to a receiver of OpenTelemetry.
    public static var otlp: SinkPlugin {
        SinkPlugin(
            name: "otlp",
            summary: "Sends exchanges as OpenTelemetry spans, log records and metrics (OTLP/HTTP).",
            options: OTLPSinkOptions.schema,
            build: OTLPSinkOptions.build
        )
    }
}

/// The options of `otlp`.
enum OTLPSinkOptions {
    static let delivery = DeliveryOptions(
        url: "The receiver; `/v1/traces`, `/v1/logs` and `/v1/metrics` are appended.",
        example: "http://localhost:4318",
        gzip: true
    )
    static let encoding = ConfigKey(
        "encoding",
        .choice([("protobuf", OTLPEncoding.protobuf), ("json", .json)]),
        default: .protobuf,
        summary: "How requests are encoded."
    )
    static let kind = ConfigKey(
        "kind",
        .choice([("client", OTLPKind.client), ("server", .server)]),
        default: .client,
        summary: "Which side of the exchange spans describe; for a server, 4xx is no error."
    )
    static let service = ConfigKey(
        "service",
        OptionType<String>.text,
        default: "tapline",
        summary: "The attribute `service.name` of the resource.",
        example: "shop"
    )
    static let resource = ConfigKey(
        "resource",
        .map(of: OptionType<String>.text),
        default: [],
        summary: "Further attributes of the resource.",
        example: "{ deployment.environment.name: staging }"
    )
    static let requestHeaders = ConfigKey(
        "request_headers",
        .list(of: OptionType<String>.text, acceptsSingle: true),
        default: [],
        summary: "The fields of requests that become attributes, after redaction.",
        example: "[x-request-id]"
    )
    static let responseHeaders = ConfigKey(
        "response_headers",
        .list(of: OptionType<String>.text, acceptsSingle: true),
        default: [],
        summary: "The fields of responses that become attributes, after redaction.",
        example: "[content-type]"
    )
    static let messageEvents = ConfigKey(
        "message_events",
        .integer(in: 0...10_000),
        default: 0,
        summary: "How many messages of an exchange become events of its span, without content.",
        example: "100"
    )
    static let maxAttribute = ConfigKey(
        "max_attribute",
        .byteSize,
        default: 4096,
        summary: "The maximum size of the text of an attribute; longer ones are cut."
    )
    static let logs = ConfigKey(
        "logs",
        .bool,
        default: false,
        summary: "Whether each exchange is also sent as a log record."
    )
    static let metrics = ConfigKey(
        "metrics",
        .bool,
        default: false,
        summary: "Whether durations are also sent, as histograms."
    )

    static let schema = delivery.schema(
        encoding,
        kind,
        service,
        resource,
        requestHeaders,
        responseHeaders,
        messageEvents,
        maxAttribute,
        logs,
        metrics
    )

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        guard let delivery = delivery.read(options, &context) else { return nil }
        var maker = SpanMaker()
        maker.kind = options[kind]
        maker.requestHeaders = options[requestHeaders].map { $0.lowercased() }
        maker.responseHeaders = options[responseHeaders].map { $0.lowercased() }
        maker.maxEvents = options[messageEvents]
        maker.maxAttributeBytes = max(options[maxAttribute], 16)
        let own = options[resource].map { OTLPAttribute($0.key, $0.value) }
        let named = own.contains { $0.name == "service.name" }
        let service = named ? [] : [OTLPAttribute("service.name", options[service])]
        return OTLPSinkFactory(
            delivery: delivery,
            encoding: options[encoding],
            maker: maker,
            resource: OTLPResource(attributes: service + own),
            sendsLogs: options[logs],
            sendsMetrics: options[metrics]
        )
    }
}

/// A configured `otlp`, not yet open.
struct OTLPSinkFactory: SinkFactory {
    let delivery: Delivery
    let encoding: OTLPEncoding
    let maker: SpanMaker
    let resource: OTLPResource
    let sendsLogs: Bool
    let sendsMetrics: Bool

    var batchLimit: Int { delivery.maxRecords }
    var batchDelay: Microseconds { delivery.maxDelay }

    func open(_ context: SinkContext) throws -> any Sink { try OTLPSink(self, context) }
}

// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
package import TaplinePlugin
internal import TaplineUpstream

/// The options that all sinks share that send records over HTTP.
package struct DeliveryOptions: Sendable {
    package let url: ConfigKey<Located<String>>
    package let gzip: ConfigKey<Bool>
    private let parentProxy = ParentProxyOptions(
        "proxy",
        summary: "A proxy to reach the server through."
    )

    package static let headers = ConfigKey(
        "headers",
        .map(of: OptionType<String>.text),
        default: [],
        summary: "Fields that each request gets; values are never logged.",
        example: "{ Authorization: \"Bearer ${TOKEN}\" }"
    )
    package static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: 4 << 20,
        summary: "The maximum size of a request, before compression; larger batches are divided.",
        example: "1MiB"
    )
    package static let maxRecords = ConfigKey(
        "max_records",
        .integer(in: 1...65_536),
        default: 512,
        summary: "The maximum number of records in a request.",
        example: "100"
    )
    package static let maxDelay = ConfigKey(
        "max_delay",
        .duration,
        default: .seconds(1),
        summary: "The longest time that a record waits for others.",
        example: "200ms"
    )
    package static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(10),
        summary: "The time limit of a request, from connecting to the end of the response.",
        example: "30s"
    )
    package static let keepAlive = ConfigKey(
        "keep_alive",
        .duration,
        default: .seconds(30),
        summary: "How long an idle connection is kept.",
        example: "5s"
    )
    package static let maxResponse = ConfigKey(
        "max_response",
        .byteSize,
        default: 64 << 10,
        summary: "How much of a response is read."
    )
    package static let maxRetryAfter = ConfigKey(
        "max_retry_after",
        .duration,
        default: .seconds(60),
        summary: "The longest time that the server can ask for with Retry-After.",
        example: "10m"
    )

    /// Declares the options.
    ///
    /// - Parameters:
    ///   - url: The summary of `url`.
    ///   - example: The example of `url`.
    ///   - gzip: The default of `gzip`.
    package init(url: String, example: String, gzip: Bool) {
        self.url = ConfigKey(
            "url",
            OptionType<String>.text.located,
            summary: url,
            example: example
        )
        self.gzip = ConfigKey(
            "gzip",
            .bool,
            default: gzip,
            summary: "Whether bodies are compressed (Content-Encoding: gzip)."
        )
    }

    /// The schema: the URL, the options of the sink itself, and the other options.
    package func schema(_ own: any ConfigKeyDeclaration...) -> OptionSchema {
        let rest: [any ConfigKeyDeclaration] = [
            Self.headers, gzip, Self.maxBytes, Self.maxRecords, Self.maxDelay, Self.timeout,
            Self.keepAlive, Self.maxResponse, Self.maxRetryAfter, parentProxy.parent,
            ServerTLSOptions.verify, ServerTLSOptions.authorities,
            ServerTLSOptions.clientCertificate, ServerTLSOptions.clientKey,
        ]
        return OptionSchema([url] + own + rest)
    }

    /// Decodes the options; `nil` with errors in the context if they are wrong.
    package func read(_ options: Options, _ context: inout BuildContext) -> Delivery? {
        guard let endpoint = DeliveryEndpoint(url: options[url].value) else {
            // The text is not shown, since it may contain a password.
            context.diagnostics.error(
                at: options[url].location,
                "'url' is not a URL to send to; expected http or https, a host and a path, without "
                    + "a user and a fragment",
                help: "credentials go into 'headers'"
            )
            return nil
        }
        var delivery = Delivery(to: endpoint)
        delivery.isCompressed = options[gzip]
        delivery.maxBytes = options[Self.maxBytes]
        delivery.maxRecords = options[Self.maxRecords]
        delivery.maxDelay = Microseconds(options[Self.maxDelay])
        delivery.maxRetryAfter = Microseconds(options[Self.maxRetryAfter])
        delivery.settings.timeout = Microseconds(options[Self.timeout])
        delivery.settings.keepAlive = Microseconds(options[Self.keepAlive])
        delivery.settings.maxResponseBytes = options[Self.maxResponse]
        delivery.settings.parent = options[parentProxy.parent]
            .flatMap { parentProxy.read($0, &context) }
        delivery.settings.tls = ServerTLSOptions.read(options, &context)
        delivery.fields = fields(options, &context)
        check(delivery, options, &context)
        return context.diagnostics.hasErrors ? nil : delivery
    }

    private func check(_ delivery: Delivery, _ options: Options, _ context: inout BuildContext) {
        if delivery.maxBytes < 1024 {
            context.diagnostics.error(
                at: options.location(of: Self.maxBytes),
                "'max_bytes' is too small; found \(delivery.maxBytes) bytes, expected at least 1KiB"
            )
        }
        if delivery.settings.timeout.count < 1000 {
            context.diagnostics.error(
                at: options.location(of: Self.timeout),
                "'timeout' is too short; expected at least 1ms"
            )
        }
    }

    // MARK: Fields

    /// Fields that belong to the connection or that the sink sets.
    private static let reserved: Set<String> = [
        "connection", "content-encoding", "content-length", "expect", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Decodes `headers`; errors name the field and never its value.
    private func fields(_ options: Options, _ context: inout BuildContext) -> FieldSection {
        var fields = FieldSection()
        for entry in options[Self.headers] {
            if Self.reserved.contains(entry.key.lowercased()) {
                context.diagnostics.error(
                    at: entry.keyLocation,
                    "'headers' cannot contain '\(entry.key)', which the sink sets itself"
                )
            } else if !Self.isField(entry.key, entry.value) {
                context.diagnostics.error(
                    at: entry.keyLocation,
                    "'headers' has a name or a value that HTTP does not allow (RFC 9110 §5.5)"
                )
            } else {
                fields.append(name: entry.key, value: entry.value)
            }
        }
        if !fields.contains("User-Agent") { fields.append(name: "User-Agent", value: "tapline") }
        return fields
    }

    private static func isField(_ name: String, _ value: String) -> Bool {
        var request = Request(authority: "server.test")
        request.fields.append(name: name, value: value)
        var output: [UInt8] = []
        return (try? request.appendHead(RequestWriting(), to: &output)) != nil
    }
}

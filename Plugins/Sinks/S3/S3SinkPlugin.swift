// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineConfig
internal import TaplineDelivery
internal import TaplineModel
public import TaplinePlugin
internal import TaplineSystem
internal import TaplineUpstream

extension SinkPlugin {
    /// The sink `s3`: stores files of records in an object store.
    public static var s3: SinkPlugin {
        SinkPlugin(
            name: "s3",
            summary: "Stores files of records in a bucket of S3 or of a compatible store.",
            options: S3SinkOptions.schema,
            build: S3SinkOptions.build
        )
    }
}

/// The decoded options of `s3`.
struct S3Settings: Sendable {
    let endpoint: DeliveryEndpoint
    let bucket: String
    let credentials: S3Credentials
    var region = "us-east-1"
    var prefix = ""
    var folder = ""
    /// How finished files are compressed; `nil` if they are not.
    var coding: ContentCoding?
    var maxBytes = 64 << 20
    var maxAge = Microseconds(300_000_000)
    var partBytes = 8 << 20
    /// The number of finished files from which no further one is begun.
    var maxFiles = 16
    var connection = DeliverySettings()
}

/// The options of `s3`.
enum S3SinkOptions {
    static let bucket = ConfigKey(
        "bucket",
        OptionType<String>.text.located,
        summary: "The bucket.",
        example: "traffic"
    )
    static let folder = ConfigKey(
        "folder",
        .path,
        summary: "A local folder for files until they are stored; it is created if missing.",
        example: "s3-spool"
    )
    static let region = ConfigKey(
        "region",
        OptionType<String>.text,
        default: "us-east-1",
        summary: "The region of the bucket.",
        example: "eu-central-1"
    )
    static let endpoint = ConfigKey(
        "endpoint",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The server of the store, without a path; by default that of AWS in the region.",
        example: "http://127.0.0.1:9000"
    )
    static let prefix = ConfigKey(
        "prefix",
        OptionType<String>.text,
        default: "",
        summary: "What the keys of objects begin with; the date and the file's name follow.",
        example: "shop/"
    )
    static let size = ConfigKey(
        "size",
        .byteSize,
        default: 64 << 20,
        summary: "The size at which a file is stored, before compression.",
        example: "256MiB"
    )
    static let age = ConfigKey(
        "age",
        .duration,
        default: .seconds(300),
        summary: "The age at which a file is stored.",
        example: "1h"
    )
    static let compress = ConfigKey(
        "compress",
        .choice([("gzip", true), ("none", false)]),
        default: true,
        summary: "How files are compressed; .gz is appended to their keys."
    )
    static let partSize = ConfigKey(
        "part_size",
        .byteSize,
        default: 8 << 20,
        summary: "The size of the parts in which larger files are uploaded; at least 5MiB.",
        example: "16MiB"
    )
    static let maxFiles = ConfigKey(
        "max_files",
        .integer(in: 1...100_000),
        default: 16,
        summary: "The number of files waiting to be stored at which the sink fails."
    )
    static let accessKey = ConfigKey(
        "access_key_env",
        OptionType<String>.text.located,
        default: Located("AWS_ACCESS_KEY_ID"),
        summary: "The environment variable that holds the id of the access key."
    )
    static let secretKey = ConfigKey(
        "secret_key_env",
        OptionType<String>.text.located,
        default: Located("AWS_SECRET_ACCESS_KEY"),
        summary: "The environment variable that holds the secret key."
    )
    static let sessionToken = ConfigKey(
        "session_token_env",
        OptionType<String>.text,
        default: "AWS_SESSION_TOKEN",
        summary: "The environment variable that holds the token of temporary credentials, if any."
    )
    static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(60),
        summary: "The time limit of a request, from connecting to the end of the response.",
        example: "5m"
    )
    private static let parentProxy = ParentProxyOptions(
        "proxy",
        summary: "A proxy to reach the store through."
    )

    static let schema = OptionSchema(
        bucket,
        folder,
        region,
        endpoint,
        prefix,
        size,
        age,
        compress,
        partSize,
        maxFiles,
        accessKey,
        secretKey,
        sessionToken,
        timeout,
        parentProxy.parent,
        ServerTLSOptions.verify,
        ServerTLSOptions.authorities,
        ServerTLSOptions.clientCertificate,
        ServerTLSOptions.clientKey
    )

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        let endpoint = server(options, &context)
        let credentials = credentials(options, &context)
        let bucket = options[bucket].value
        let isName = bucket.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == .ascii("-") || $0 == .ascii(".")
        }
        if !isName || !(3...63 ~= bucket.utf8.count) {
            context.diagnostics.error(
                at: options.location(of: Self.bucket),
                "'bucket' is not a name of a bucket; expected 3 to 63 lower-case letters, digits, "
                    + "dots and hyphens"
            )
        }
        check(options, &context)
        guard let endpoint, let credentials else { return nil }
        var settings = S3Settings(endpoint: endpoint, bucket: bucket, credentials: credentials)
        settings.region = options[region]
        settings.prefix = options[prefix]
        settings.folder = options[folder]
        settings.coding = options[compress] ? .gzip : nil
        settings.maxBytes = options[size]
        settings.maxAge = Microseconds(options[age])
        settings.partBytes = options[partSize]
        settings.maxFiles = options[maxFiles]
        settings.connection.timeout = Microseconds(options[timeout])
        settings.connection.maxResponseBytes = 1 << 20
        settings.connection.parent = options[parentProxy.parent]
            .flatMap { parentProxy.read($0, &context) }
        settings.connection.tls = ServerTLSOptions.read(options, &context)
        return context.diagnostics.hasErrors ? nil : S3SinkFactory(settings: settings)
    }

    private static func server(
        _ options: Options,
        _ context: inout BuildContext
    ) -> DeliveryEndpoint? {
        let own = options[endpoint]
        let url = own?.value ?? "https://s3.\(options[region]).amazonaws.com"
        guard let server = DeliveryEndpoint(url: url), "\(server.target)" == "/" else {
            context.diagnostics.error(
                at: own?.location ?? options.location(of: region),
                "there is no server to store objects on; expected an 'endpoint' such as "
                    + "http://127.0.0.1:9000, or the 'region' of AWS"
            )
            return nil
        }
        return server
    }

    private static func credentials(
        _ options: Options,
        _ context: inout BuildContext
    ) -> S3Credentials? {
        var values: [String] = []
        for (name, key) in [("access_key_env", accessKey), ("secret_key_env", secretKey)] {
            let variable = options[key]
            guard let value = context.environment[variable.value], !value.isEmpty else {
                context.diagnostics.error(
                    at: variable.location ?? context.location,
                    "the environment variable '\(variable.value)' that '\(name)' names is not set "
                        + "or is empty",
                    help: "set it to a key of the store"
                )
                return nil
            }
            values.append(value)
        }
        let token = context.environment[options[sessionToken]]
        return S3Credentials(
            accessKey: values[0],
            secretKey: values[1],
            sessionToken: token?.isEmpty == false ? token : nil
        )
    }

    private static func check(_ options: Options, _ context: inout BuildContext) {
        let (part, most) = (options[partSize], options[size])
        if part < 5 << 20 {
            context.diagnostics.error(
                at: options.location(of: partSize),
                "'part_size' is too small; the store accepts parts of at least 5MiB"
            )
        } else if most / part >= 1000 {
            context.diagnostics.error(
                at: options.location(of: size),
                "'size' is too large; expected less than 1000 times 'part_size'"
            )
        }
        if most < 1024 {
            context.diagnostics.error(
                at: options.location(of: size),
                "'size' is too small; expected at least 1KiB"
            )
        }
    }
}

/// A configured `s3`, not yet open.
struct S3SinkFactory: SinkFactory {
    let settings: S3Settings
    let figures = S3Figures()

    var claims: [ResourceClaim] { [.file(settings.folder)] }

    var metrics: [Metric] { figures.metrics(of: settings.bucket) }

    func open(_ context: SinkContext) throws -> any Sink {
        try S3Sink(settings, context, figures)
    }
}

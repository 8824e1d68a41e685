// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineModel
internal import TaplineSystem
internal import TaplineTLS
internal import TaplinePlugin

/// The options of `proxy` for TLS.
extension ProxyOptions {
    static let verify = ConfigKey(
        "verify",
        .bool,
        default: true,
        summary: "Whether the certificates of servers have to be valid and trusted."
    )
    static let authorities = ConfigKey(
        "authorities",
        .list(of: OptionType<String>.path.located, acceptsSingle: true),
        default: [],
        summary: "Files of certificates (PEM) to trust in addition to the system's.",
        example: "[company-ca.pem]"
    )
    static let clientCertificate = ConfigKey(
        "client_certificate",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A certificate (PEM, with its chain) for servers that request one.",
        example: "client.pem"
    )
    static let clientKey = ConfigKey(
        "client_key",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "The key of that certificate (PEM, without a password).",
        example: "client-key.pem"
    )
    static let requireCloseNotify = ConfigKey(
        "require_close_notify",
        .bool,
        default: false,
        summary: "Whether a body that ends with the connection requires TLS's close_notify."
    )
    static let intercept = ConfigKey(
        "intercept",
        hosts,
        default: [],
        summary: "The hosts whose HTTPS is read: `true` for all, or patterns.",
        example: "[\"*.shop.test\"]"
    )
    static let passthrough = ConfigKey(
        "passthrough",
        .list(of: OptionType<String>.text, acceptsSingle: true),
        default: [],
        summary: "Exceptions to 'intercept': patterns of hosts whose HTTPS is not read.",
        example: "[\"*.bank.test\"]"
    )
    static let authority = ConfigKey(
        "ca",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The folder of the certificate authority; by default the user's own.",
        example: "./ca"
    )

    /// `true`, `false`, or patterns.
    private static let hosts: OptionType<[String]> = {
        let patterns = OptionType<[String]>.list(of: .text, acceptsSingle: true)
        return OptionType(
            name: "true, false or list of text",
            schema: ["anyOf": [OptionType<Bool>.bool.schema, patterns.schema]],
            describe: { $0.isEmpty ? "false" : $0 == ["*"] ? "true" : patterns.describe($0) }
        ) { node, context in
            switch node.value {
            case .scalar("true", isPlain: true): ["*"]
            case .scalar("false", isPlain: true): []
            default: patterns.decode(node, &context)
            }
        }
    }()

    /// Decodes the options.
    ///
    /// It reads files but creates none.
    static func readTLS(
        _ options: Options,
        into settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        settings.servers.verify = options[verify]
        settings.requiresClosingAlert = options[requireCloseNotify]
        settings.servers.authorityFiles = options[authorities].map(\.value)
        tryServers(settings, at: options[authorities].first?.location, &context)
        if let place = options[clientCertificate] ?? options[clientKey] {
            settings.servers.certificateFile = options[clientCertificate]?.value
            settings.servers.keyFile = options[clientKey]?.value
            tryServers(settings, at: place.location, &context)
        }
        let rules = InterceptionRules(
            hosts: options[intercept].map { Glob($0, ignoringCase: true) },
            passthrough: options[passthrough].map { Glob($0, ignoringCase: true) }
        )
        guard !rules.hosts.isEmpty else { return }
        settings.interception = rules
        settings.authority =
            options[authority].map { AuthorityStore(folder: $0) }
            ?? AuthorityStore(environment: context.environment.variables)
        if settings.authority == nil {
            context.diagnostics.error(
                at: context.location,
                "there is no folder for the certificate authority; neither XDG_DATA_HOME nor HOME "
                    + "is set",
                help: "name a folder with 'ca'"
            )
        }
    }

    /// Checks whether the certificate files can be used.
    private static func tryServers(
        _ settings: ProxySettings,
        at place: SourceLocation?,
        _ context: inout BuildContext
    ) {
        do throws(TLSError) {
            _ = try TLSContext(client: settings.servers)
        } catch {
            context.diagnostics.error(at: place ?? context.location, error.message)
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineModel
internal import TaplineSystem
internal import TaplineTLS
internal import TaplinePlugin
internal import TaplineUpstream

/// The options of `proxy` for TLS.
extension ProxyOptions {
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
    static let hosts: OptionType<[String]> = {
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
        settings.servers = ServerTLSOptions.read(options, &context)
        settings.requiresClosingAlert = options[requireCloseNotify]
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
}

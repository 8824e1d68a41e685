// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// The options of `proxy` for clients and servers that are allowed.
extension ProxyOptions {
    static let user = ConfigKey(
        "user",
        OptionType<String>.text.located,
        summary: "The user name, without a colon.",
        example: "me"
    )
    static let passwordEnvironment = ConfigKey(
        "password_env",
        OptionType<String>.text.located,
        summary: "The environment variable that holds the password.",
        example: "PROXY_PASSWORD"
    )
    static let auth = ConfigKey(
        "auth",
        OptionType<Options>.object(OptionSchema(user, passwordEnvironment)).optional,
        default: nil,
        summary: "The user and password that clients have to send.",
        example: "{ user: me, password_env: PROXY_PASSWORD }"
    )
    static let allowClients = ConfigKey(
        "allow_clients",
        .list(of: OptionType<String>.text.located, acceptsSingle: true),
        default: [],
        summary: "The addresses that clients may connect from; any if empty.",
        example: "192.168.1.0/24"
    )
    static let denyTargets = ConfigKey(
        "deny_targets",
        .list(of: OptionType<String>.text.located, acceptsSingle: true),
        default: [],
        summary: "The addresses that the proxy does not connect to; 'private' means all addresses "
            + "that are not public.",
        example: "private"
    )

    static func readAccess(
        _ options: Options,
        _ settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        if let auth = options[auth] {
            settings.access.credentials = BasicCredentials(
                auth[user],
                passwordIn: auth[passwordEnvironment],
                &context
            )
        }
        for text in options[allowClients] {
            guard let range = range(text, "an IP address or a range", &context) else { continue }
            settings.access.allowedClients.append(range)
        }
        for text in options[denyTargets] {
            if text.value == "private" {
                settings.access.deniedTargets += IPRange.privateRanges
            } else if let range = range(text, "'private', an IP address or a range", &context) {
                settings.access.deniedTargets.append(range)
            }
        }
    }

    private static func range(
        _ text: Located<String>,
        _ expected: String,
        _ context: inout BuildContext
    ) -> IPRange? {
        if let range = IPRange(text.value) { return range }
        context.diagnostics.error(
            at: text.location,
            "this is not a range of addresses; found '\(text.value)', expected \(expected) such as "
                + "10.0.0.0/8"
        )
        return nil
    }
}

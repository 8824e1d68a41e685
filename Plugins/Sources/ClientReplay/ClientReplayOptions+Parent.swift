// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineConnections
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The options of `client_replay` for a proxy to reach servers through, as those of `proxy`.
extension ClientReplayOptions {
    static let parentURL = ConfigKey(
        "url",
        OptionType<String>.text.located,
        summary: "The proxy: http://host:port.",
        example: "http://proxy.corp.test:3128"
    )
    static let parentUser = ConfigKey(
        "user",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The user name for the proxy.",
        example: "me"
    )
    static let parentPassword = ConfigKey(
        "password_env",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The environment variable that holds the user's password.",
        example: "PROXY_PASSWORD"
    )
    static let parentExceptions = ConfigKey(
        "except",
        .list(of: OptionType<String>.text, acceptsSingle: true),
        default: [],
        summary: "Patterns of hosts that are reached directly.",
        example: "[localhost, \"*.corp.test\"]"
    )
    static let parent = ConfigKey(
        "parent",
        OptionType<Options>.object(
            OptionSchema(parentURL, parentUser, parentPassword, parentExceptions)
        ).optional,
        default: nil,
        summary: "A proxy to reach servers through.",
        example: "{ url: http://proxy.corp.test:3128 }"
    )

    /// Decodes `parent`.
    static func readParent(_ given: Options, _ context: inout BuildContext) -> ParentProxy? {
        let url = given[parentURL]
        guard let origin = Origin(url: url.value), !origin.isSecure else {
            context.diagnostics.error(
                at: url.location,
                "this is not a proxy; found '\(url.value)', expected http://host:port; a user and "
                    + "a password go into 'user' and 'password_env'"
            )
            return nil
        }
        var parent = ParentProxy(origin)
        parent.exceptions = given[parentExceptions].map { Glob($0, ignoringCase: true) }
        switch (given[parentUser], given[parentPassword]) {
        case (let user?, let variable?):
            parent.authorization = credentials(user, variable, &context)?.fieldValue
        case (let single?, nil), (nil, let single?):
            context.diagnostics.error(
                at: single.location,
                "'user' and 'password_env' of 'parent' go together; found only one of them"
            )
        case (nil, nil): break
        }
        return parent
    }

    /// Reads a user, and the password in an environment variable.
    private static func credentials(
        _ user: Located<String>,
        _ variable: Located<String>,
        _ context: inout BuildContext
    ) -> BasicCredentials? {
        // RFC 7617 §2: the first colon ends the user.
        if user.value.isEmpty || user.value.utf8.contains(UInt8(ascii: ":")) {
            context.diagnostics.error(
                at: user.location,
                "a user name cannot be empty or contain a colon"
            )
        }
        guard let password = context.environment[variable.value], !password.isEmpty else {
            context.diagnostics.error(
                at: variable.location,
                "the environment variable that 'password_env' names is not set or is empty",
                help: "set it to the password"
            )
            return nil
        }
        return BasicCredentials(user: user.value, password: password)
    }
}

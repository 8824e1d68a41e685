// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// The options of `proxy` for a parent proxy.
extension ProxyOptions {
    static let parentURL = ConfigKey(
        "url",
        OptionType<String>.text.located,
        summary: "The parent proxy: http://host:port.",
        example: "http://proxy.corp.test:3128"
    )
    static let parentUser = ConfigKey(
        "user",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The user name for the parent proxy.",
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
        summary: "Another proxy to reach servers through.",
        example: "{ url: http://proxy.corp.test:3128 }"
    )

    /// Decodes `parent`.
    static func readParent(
        _ given: Options,
        _ options: Options,
        _ context: inout BuildContext
    ) -> ParentProxy? {
        let url = given[parentURL]
        guard let origin = Origin(url: url.value), !origin.isSecure else {
            context.diagnostics.error(
                at: url.location,
                "this is not a proxy; found '\(url.value)', expected http://host:port; a user and "
                    + "a password go into 'user' and 'password_env'"
            )
            return nil
        }
        if options.isSet(upstream) {
            context.diagnostics.error(
                at: url.location,
                "a reverse proxy cannot have a parent; found both 'upstream' and 'parent'"
            )
        }
        if let range = options[denyTargets].first {
            context.diagnostics.error(
                at: range.location,
                "'deny_targets' cannot be combined with 'parent', which resolves the names"
            )
        }
        var parent = ParentProxy(origin)
        parent.exceptions = given[parentExceptions].map { Glob($0, ignoringCase: true) }
        switch (given[parentUser], given[parentPassword]) {
        case (let user?, let password?):
            parent.authorization = credentials(user, password, &context)?.fieldValue
        case (let single?, nil), (nil, let single?):
            context.diagnostics.error(
                at: single.location,
                "'user' and 'password_env' of 'parent' go together; found only one of them"
            )
        case (nil, nil): break
        }
        return parent
    }
}

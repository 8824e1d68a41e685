// SPDX-License-Identifier: MIT

package import TaplineConfig
package import TaplineConnections
internal import TaplineModel
package import TaplinePlugin

/// The option `parent` of a source: a proxy that it reaches servers through.
package struct ParentProxyOptions: Sendable {
    /// The option `parent`, whose value contains the others.
    package let parent: ConfigKey<Options?>
    /// The proxy.
    package let url: ConfigKey<Located<String>>
    private let user: ConfigKey<Located<String>?>
    private let password: ConfigKey<Located<String>?>
    private let exceptions: ConfigKey<[String]>

    /// Declares the options.
    ///
    /// - Parameters:
    ///   - noun: What the summaries call the proxy.
    ///   - summary: The summary of `parent`.
    package init(_ noun: String, summary: String) {
        url = ConfigKey(
            "url",
            OptionType<String>.text.located,
            summary: "The \(noun): http://host:port.",
            example: "http://proxy.corp.test:3128"
        )
        user = ConfigKey(
            "user",
            OptionType<String>.text.located.optional,
            default: nil,
            summary: "The user name for the \(noun).",
            example: "me"
        )
        password = ConfigKey(
            "password_env",
            OptionType<String>.text.located.optional,
            default: nil,
            summary: "The environment variable that holds the user's password.",
            example: "PROXY_PASSWORD"
        )
        exceptions = ConfigKey(
            "except",
            .list(of: OptionType<String>.text, acceptsSingle: true),
            default: [],
            summary: "Patterns of hosts that are reached directly.",
            example: "[localhost, \"*.corp.test\"]"
        )
        parent = ConfigKey(
            "parent",
            OptionType<Options>.object(OptionSchema(url, user, password, exceptions)).optional,
            default: nil,
            summary: summary,
            example: "{ url: http://proxy.corp.test:3128 }"
        )
    }

    /// Decodes the value of `parent`; `nil` with an error if it is not a proxy.
    package func read(_ given: Options, _ context: inout BuildContext) -> ParentProxy? {
        let url = given[url]
        guard let origin = Origin(url: url.value), !origin.isSecure else {
            context.diagnostics.error(
                at: url.location,
                "this is not a proxy; found '\(url.value)', expected http://host:port; a user and "
                    + "a password go into 'user' and 'password_env'"
            )
            return nil
        }
        var parent = ParentProxy(origin)
        parent.credentialsAdvice = ": see 'parent.user' and 'parent.password_env'"
        parent.exceptions = given[exceptions].map { Glob($0, ignoringCase: true) }
        switch (given[user], given[password]) {
        case (let user?, let variable?):
            let credentials = BasicCredentials(user, passwordIn: variable, &context)
            parent.authorization = credentials?.fieldValue
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

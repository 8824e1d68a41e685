// SPDX-License-Identifier: MIT

internal import CNATS
package import TaplineConfig
internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem
internal import TaplineTLS
internal import TaplineUpstream

/// The declarations of the options that the source and the sink `nats` share.
package enum NATSKeys {
    /// The shim has room for as many.
    private static let maxServers = Int(TAPLINE_NATS_MAX_SERVERS)

    private static let servers = ConfigKey(
        "servers",
        OptionType<[Located<String>]>.list(
            of: OptionType<String>.text.located,
            acceptsSingle: true,
            allowsEmpty: false
        ),
        summary: "The servers, or some of a cluster: nats://host:port, or tls://host:port.",
        example: "[nats://n1.test:4222, nats://n2.test:4222]"
    )
    /// The stream.
    package static let stream = ConfigKey(
        "stream",
        OptionType<String>.text.located,
        summary: "The name of the JetStream stream.",
        example: "TRAFFIC"
    )
    private static let credentials = ConfigKey(
        "credentials",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A credentials file (.creds) with a JWT and the seed of its key.",
        example: "tapline.creds"
    )
    private static let user = ConfigKey(
        "user",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The user name; needs `password`.",
        example: "tapline"
    )
    private static let password = ConfigKey(
        "password",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The user's password.",
        example: "${NATS_PASSWORD}"
    )
    private static let token = ConfigKey(
        "token",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "A token instead of a user.",
        example: "${NATS_TOKEN}"
    )
    private static let tls = ConfigKey(
        "tls",
        OptionType<Options>.object(
            OptionSchema(
                ServerTLSOptions.verify,
                ServerTLSOptions.authorities,
                ServerTLSOptions.clientCertificate,
                ServerTLSOptions.clientKey
            )
        ).optional,
        default: nil,
        summary: "Encrypts the connection; `{}` for the defaults, which tls:// means too.",
        example: "{ authorities: [company-ca.pem] }"
    )
    /// The longest `timeout`, in milliseconds.
    static let maxTimeout: Int64 = 3_600_000

    private static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(5),
        summary: "How long connecting, and an answer of the server, may take."
    )

    /// The options of one kind, between the shared ones.
    package static func schema(_ own: any ConfigKeyDeclaration...) -> OptionSchema {
        let first: [any ConfigKeyDeclaration] = [servers, stream]
        let last: [any ConfigKeyDeclaration] = [credentials, user, password, token, tls, timeout]
        return OptionSchema((first + own + last).map(\.erased))
    }

    /// Loads the library and reads the shared options; adds what is wrong to the diagnostics.
    package static func read(_ options: Options, _ context: inout BuildContext) -> NATSSettings? {
        context.load(.nats)
        let urls = options[servers]
        if urls.count > maxServers {
            context.diagnostics.error(
                at: options.location(of: servers),
                "too many servers; found \(urls.count), expected at most \(maxServers)"
            )
        }
        for url in urls {
            if let problem = ServerURL.problem(in: url.value) {
                // The value is not shown, since it may contain a password.
                context.diagnostics.error(at: url.location, problem)
            }
        }
        let name = options[stream]
        checkName(name, "stream", &context)
        let duration = milliseconds(options[timeout])
        if duration < 10 {
            context.diagnostics.error(
                at: options.location(of: timeout),
                "'timeout' is too short; expected at least 10ms"
            )
        } else if duration > maxTimeout {
            context.diagnostics.error(
                at: options.location(of: timeout),
                "'timeout' is too long; expected at most 1h"
            )
        }
        var settings = NATSSettings(
            servers: urls.map(\.value),
            stream: name.value,
            timeout: duration
        )
        settings.credentials = readCredentials(options, &context)
        if let given = options[tls] {
            settings.tls = ServerTLSOptions.read(given, &context)
        } else if urls.contains(where: { ServerURL.isSecure($0.value) }) {
            settings.tls = TLSClientOptions()
        }
        return context.diagnostics.hasErrors ? nil : settings
    }

    /// Reports a name that a stream or a consumer cannot have.
    package static func checkName(
        _ name: Located<String>,
        _ what: String,
        _ context: inout BuildContext
    ) {
        let isValid =
            !name.value.isEmpty && name.value.utf8.count <= 255
            && name.value.utf8.allSatisfy { SubjectTemplate.isPlain($0) }
        if !isValid {
            context.diagnostics.error(
                at: name.location,
                "this is not the name of a \(what); expected letters, digits, '-' and '_'"
            )
        }
    }

    private static func readCredentials(
        _ options: Options,
        _ context: inout BuildContext
    ) -> NATSSettings.Credentials? {
        let (file, user, token) = (options[credentials], options[user], options[token])
        let ways = [file, user, token].compactMap(\.self)
        if let second = ways.dropFirst().first {
            context.diagnostics.error(
                at: second.location,
                "'credentials', 'user' and 'token' exclude each other; expected one of them"
            )
            return nil
        }
        if let given = options[password], user == nil {
            context.diagnostics.error(at: given.location, "'password' needs 'user'")
        }
        for text in [user, options[password], token].compactMap(\.self)
        where text.value.isEmpty || text.value.utf8.contains(0) {
            context.diagnostics.error(at: text.location, "the value is empty")
        }
        if let file {
            if (try? FileSystem.status(of: file.value)) == nil {
                let message = "there is no file '\(file.value)'"
                context.diagnostics.error(at: file.location, message)
            }
            return .file(file.value)
        }
        if let user {
            guard let password = options[password] else {
                context.diagnostics.error(at: user.location, "'user' needs 'password'")
                return nil
            }
            return .user(user.value, password: password.value)
        }
        return token.map { .token($0.value) }
    }

    /// A duration in milliseconds, at most a day.
    package static func milliseconds(_ duration: Duration) -> Int64 {
        min(Microseconds(duration).count / 1000, 86_400_000)
    }
}

/// The forms of a server's URL that are accepted.
enum ServerURL {
    /// Returns whether a URL demands TLS.
    static func isSecure(_ url: String) -> Bool { url.lowercased().hasPrefix("tls://") }

    /// Returns what is wrong with a URL; `nil` if nothing is.
    static func problem(in url: String) -> String? {
        var rest = Substring(url)
        if let end = rest.firstRange(of: "://") {
            guard ["nats", "tls"].contains(rest[..<end.lowerBound].lowercased()) else {
                return "unknown scheme of a server; expected nats://host:port or tls://host:port"
            }
            rest = rest[end.upperBound...]
        }
        if rest.contains("@") {
            return "a server's URL must not contain a user, a password or a token; "
                + "use the options 'user', 'password' and 'token'"
        }
        let isHost =
            !rest.isEmpty
            && rest.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"/?#,\"'\\".utf8.contains(byte)
            }
        return isHost ? nil : "this is not a server; expected nats://host:port"
    }
}

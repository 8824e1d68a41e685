// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineNet
internal import TaplinePlugin

/// The option `listen` of `proxy`.
extension ProxyOptions {
    static let listen = ConfigKey(
        "listen",
        listeners,
        default: [.address(Located("127.0.0.1:8080"))],
        summary: "The addresses to listen on, each with a port, or `{ mode: transparent, address: "
            + "\"0.0.0.0:15001\" }` for clients that a firewall redirects.",
        example: "127.0.0.1:8080"
    )

    /// An element of `listen`.
    enum ListenValue: Sendable {
        case address(Located<String>)
        case options(Located<Options>)
    }

    private static let mode = ConfigKey(
        "mode",
        .choice(["proxy", "transparent", "namespace"]),
        default: "proxy",
        summary: "Whether clients use a proxy, are redirected by a firewall, or run in the "
            + "namespace of `tapline exec --all`, which sets this itself."
    )
    private static let address = ConfigKey(
        "address",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The address with a port.",
        example: "\"0.0.0.0:15001\""
    )
    private static let tproxy = ConfigKey(
        "tproxy",
        .bool,
        default: false,
        summary: "Whether the firewall uses TPROXY, so that the socket needs IP_TRANSPARENT."
    )
    private static let hostLoopback = ConfigKey(
        "host_loopback",
        .bool,
        default: true,
        summary: "Whether programs in the namespace reach this machine's loopback addresses."
    )
    private static let untrusted = ConfigKey(
        "untrusted",
        .choice(["pass", "fail"]),
        default: "pass",
        summary: "What happens to redirected programs that have rejected a certificate, and to "
            + "their TLS that only they can use."
    )
    static let listenSchema = OptionSchema(mode, address, tproxy, hostLoopback, untrusted)

    private static let listener: OptionType<ListenValue> = {
        let text = OptionType<String>.text.located
        let options = OptionType<Options>.object(listenSchema).located
        return OptionType(
            name: "text or options",
            schema: ["anyOf": [text.schema, options.schema]],
            describe: { value in
                if case .address(let text) = value { text.value } else { nil }
            }
        ) { node, context in
            if case .mapping = node.value {
                return options.decode(node, &context).map { .options($0) }
            }
            return text.decode(node, &context).map { .address($0) }
        }
    }()

    /// A list of listeners, or a single one.
    private static let listeners: OptionType<[ListenValue]> = {
        let list = OptionType<[ListenValue]>.list(
            of: listener,
            acceptsSingle: true,
            allowsEmpty: false
        )
        return OptionType(name: list.name, schema: list.schema, describe: list.describe) {
            node,
            context in
            guard case .mapping = node.value else { return list.decode(node, &context) }
            return listener.decode(node, &context).map { [$0] }
        }
    }()

    /// Decodes `listen`.
    static func readListeners(
        _ options: Options,
        into settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        for value in options[listen] {
            switch value {
            case .address(let text): add(text, .proxy, options, &settings, &context)
            case .options(let listener): read(listener, options, &settings, &context)
            }
        }
    }

    private static func read(
        _ listener: Located<Options>,
        _ options: Options,
        _ settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        settings.passesUntrusted = listener.value[untrusted] == "pass"
        if listener.value[mode] == "namespace" {
            if !context.hasNamespace {
                context.diagnostics.error(
                    at: listener.value.location(of: mode),
                    "there is no namespace to listen in; 'mode: namespace' is for 'tapline exec "
                        + "--all', which sets it itself",
                    help: "remove the listener, and run 'tapline exec --all --config FILE -- "
                        + "COMMAND'"
                )
                return
            }
            let inside = NamespaceSettings(reachesHostLoopback: listener.value[hostLoopback])
            let none = SocketAddress(.anyV4, port: 0)
            settings.listeners.append(ProxyListener(address: none, mode: .namespace(inside)))
            return
        }
        guard let text = listener.value[address] else {
            context.diagnostics.error(
                at: listener.location,
                "a listener needs an address; found none, expected 'address' with a port"
            )
            return
        }
        let isTransparent = listener.value[mode] == "transparent"
        let mode: ProxyListener.Mode =
            isTransparent ? .transparent(isTproxy: listener.value[tproxy]) : .proxy
        if isTransparent, options[upstream] != nil {
            context.diagnostics.error(
                at: listener.location,
                "a transparent listener sends each connection to its own server; found 'upstream'",
                help: "remove 'upstream', or make the listener one of 'mode: proxy'"
            )
        }
        add(text, mode, options, &settings, &context)
    }

    private static func add(
        _ text: Located<String>,
        _ mode: ProxyListener.Mode,
        _ options: Options,
        _ settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        guard let address = SocketAddress(text.value) else {
            context.diagnostics.error(
                at: text.location,
                "this is not an address to listen on; found '\(text.value)', expected an IP "
                    + "address with a port such as 127.0.0.1:8080 or [::1]:8080"
            )
            return
        }
        // Redirected clients cannot send credentials.
        let hasAuth = mode == .proxy && options.isSet(auth)
        if !address.ip.isLoopback, !hasAuth, options[allowClients].isEmpty,
            options[allowUsers] == nil
        {
            let missing =
                mode == .proxy ? "neither 'auth' nor 'allow_clients'" : "no 'allow_clients'"
            context.diagnostics.error(
                at: text.location,
                "anyone who can reach '\(text.value)' could use the proxy; found \(missing)",
                help: "set one of them, or listen on 127.0.0.1"
            )
        }
        settings.listeners.append(ProxyListener(address: address, mode: mode))
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Bindings of tokens, prepared for look-up by request.
package struct TokenMap: Sendable {
    /// A place and the number of the binding that it belongs to.
    struct Entry: Sendable {
        let place: ValuePlace
        let binding: Int
    }

    /// The places of one request, its response or its messages, each with the numbers of its bindings.
    struct Places: Sendable {
        private(set) var bindings: [ValuePlace: [Int]] = [:]
        /// Whether one of the places is in the body.
        private(set) var needBody = false

        init(_ entries: [Entry]) {
            for entry in entries {
                bindings[entry.place, default: []].append(entry.binding)
                switch entry.place.part {
                case .json, .form, .meta, .link, .text: needBody = true
                case .segment, .query, .header, .cookie: break
                }
            }
        }

        var isEmpty: Bool { bindings.isEmpty }
    }

    package let bindings: [TokenBinding]
    private var sources = RouteIndex<Entry>()
    private var targets = RouteIndex<Entry>()
    private var messageSources = RouteIndex<Entry>()
    private var messageTargets = RouteIndex<Entry>()

    package init(_ bindings: [TokenBinding]) {
        self.bindings = bindings
        for (number, binding) in bindings.enumerated() {
            let entry = Entry(place: binding.source.place, binding: number)
            if binding.source.message == .message {
                messageSources.add(entry, at: binding.source.route)
            } else {
                sources.add(entry, at: binding.source.route)
            }
            for target in binding.targets {
                let entry = Entry(place: target.place, binding: number)
                if target.message == .message {
                    messageTargets.add(entry, at: target.route)
                } else {
                    targets.add(entry, at: target.route)
                }
            }
        }
    }

    /// Where the response to a request hands out tokens.
    func sources(for route: RequestRoute) -> Places { Places(sources.values(for: route)) }

    /// Where a request sends back tokens.
    func targets(for route: RequestRoute) -> Places { Places(targets.values(for: route)) }

    /// Where the server's messages in a WebSocket hand out tokens.
    func messageSources(for route: RequestRoute) -> Places {
        Places(messageSources.values(for: route))
    }

    /// Where the client's messages in a WebSocket send back tokens.
    func messageTargets(for route: RequestRoute) -> Places {
        Places(messageTargets.values(for: route))
    }
}

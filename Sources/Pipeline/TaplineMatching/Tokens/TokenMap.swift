// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Bindings of tokens, prepared for look-up by request.
package struct TokenMap: Sendable {
    /// A place and the number of the binding that it belongs to.
    struct Entry: Sendable {
        let place: ValuePlace
        let binding: Int
    }

    /// The places of one request or its response, each with the numbers of its bindings.
    struct Places {
        private(set) var bindings: [ValuePlace: [Int]] = [:]
        /// Whether one of the places is in the body.
        private(set) var needBody = false

        init(_ entries: [Entry]) {
            for entry in entries {
                bindings[entry.place, default: []].append(entry.binding)
                switch entry.place.part {
                case .json, .form, .meta, .link: needBody = true
                case .segment, .query, .header, .cookie: break
                }
            }
        }

        var isEmpty: Bool { bindings.isEmpty }
    }

    package let bindings: [TokenBinding]
    private var sources = RouteIndex<Entry>()
    private var targets = RouteIndex<Entry>()

    package init(_ bindings: [TokenBinding]) {
        self.bindings = bindings
        for (number, binding) in bindings.enumerated() {
            let entry = Entry(place: binding.source.place, binding: number)
            sources.add(entry, at: binding.source.route)
            for target in binding.targets {
                targets.add(Entry(place: target.place, binding: number), at: target.route)
            }
        }
    }

    /// Where the response to a request hands out tokens.
    func sources(for route: RequestRoute) -> Places { Places(sources.values(for: route)) }

    /// Where a request sends back tokens.
    func targets(for route: RequestRoute) -> Places { Places(targets.values(for: route)) }
}

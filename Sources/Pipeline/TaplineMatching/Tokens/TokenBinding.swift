// SPDX-License-Identifier: MIT

/// A place of a value in the requests, responses or WebSocket messages of a route.
///
/// As text: `response json $.access_token of POST shop.test/login`. Header fields and cookies of
/// requests need no route: `request header authorization`.
package struct TokenPlace: Sendable, Hashable {
    /// The part of an exchange.
    package enum Message: String, Sendable {
        case request, response
        /// A message of a WebSocket: of the server as a source, of the client as a target.
        case message
    }

    package let message: Message
    package let place: ValuePlace
    /// The requests; `nil` for all.
    package let route: RouteTemplate?

    package init(_ message: Message, _ place: ValuePlace, of route: RouteTemplate?) {
        self.message = message
        self.place = place
        self.route = route
    }

    /// The place as text, which `init(parsing:)` parses.
    package var text: String {
        "\(message.rawValue) \(place.text)" + (route.map { " of \($0.text)" } ?? "")
    }
}

/// A value that responses or messages hand out at one place, and requests or messages send back at
/// others.
package struct TokenBinding: Sendable, Equatable {
    /// The name, unique in a map: `access_token`.
    package let name: String
    /// Where a server hands out the value.
    package let source: TokenPlace
    /// Where a client sends it back.
    package let targets: [TokenPlace]

    package init(name: String, source: TokenPlace, targets: [TokenPlace]) {
        self.name = name
        self.source = source
        self.targets = targets
    }

    /// Formats bindings as the YAML of a map file.
    ///
    /// - Parameter bindings: The bindings.
    /// - Returns: A list of mappings with the keys `bind`, `from` and `to`.
    package static func yaml(_ bindings: [TokenBinding]) -> String {
        var text = """
            # Values that responses hand out and later requests send back. A replay sends what the
            # server of the replay hands out at the same place. Remove what is wrong.

            """
        if bindings.isEmpty { text += "[]\n" }
        for binding in bindings {
            text +=
                "- bind: \(quoted(binding.name))\n  from: \(quoted(binding.source.text))\n  to:\n"
            for target in binding.targets { text += "    - \(quoted(target.text))\n" }
        }
        return text
    }

    /// A text as a YAML scalar in single quotes (YAML 1.2 §7.3.2); names are data of a recording.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "''"))'"
    }
}

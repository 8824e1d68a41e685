// SPDX-License-Identifier: MIT

/// A named conversation with a state machine: events, and the action that each must return.
package struct Playbook: Sendable, CustomStringConvertible {
    /// The name of the conversation.
    package let name: String
    /// The events and actions, in order.
    package let lines: [(event: String, action: String)]

    /// Creates a playbook from lines of `event → action`.
    package init(_ name: String, _ text: String) {
        self.name = name
        lines = text.split(separator: "\n").map { line in
            let parts = line.split(separator: "→").map { part in
                part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            }
            precondition(
                parts.count == 2,
                "the line '\(line)' of '\(name)' has no event and action"
            )
            return (String(parts[0]), String(parts[1]))
        }
    }

    /// The name.
    package var description: String { name }
}

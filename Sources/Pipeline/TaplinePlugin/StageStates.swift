// SPDX-License-Identifier: MIT

/// What stages keep of one exchange from one hook to the next.
///
/// Unlike `vars`, no other stage sees it. It takes no memory until a stage keeps something.
package struct StageStates: Sendable {
    private struct Entry: Sendable {
        let stage: ObjectIdentifier
        var value: any Sendable
    }

    private var entries: [Entry] = []

    /// Creates an empty collection.
    package init() {}

    /// Returns what the instance of a stage has kept; `nil` if nothing, or a value of another type.
    package func value<Value: Sendable>(of stage: AnyObject, as type: Value.Type) -> Value? {
        guard !entries.isEmpty else { return nil }
        let stage = ObjectIdentifier(stage)
        return entries.first { $0.stage == stage }?.value as? Value
    }

    /// Keeps a value, which replaces the one that the instance of the stage kept before.
    package mutating func keep(_ value: some Sendable, of stage: AnyObject) {
        let stage = ObjectIdentifier(stage)
        if let position = entries.firstIndex(where: { $0.stage == stage }) {
            entries[position].value = value
        } else {
            entries.append(Entry(stage: stage, value: value))
        }
    }
}

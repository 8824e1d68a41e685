// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineServe
internal import TaplineStore
internal import TaplineSystem

/// The endpoints that write what people note about an exchange.
enum AnnotationEndpoints {
    /// `POST /api/exchanges/ID/notes`.
    static func note(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let text = try call.required("text")
        return try change(call, open) { editor, key in
            try editor.addNote(text, at: now, to: [key])
        }
    }

    /// `POST /api/exchanges/ID/mark`.
    static func mark(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let name = try call.required("mark")
        let mark = StoreMark(rawValue: name)
        guard mark != nil || name == "none" else {
            throw APIError(
                400,
                "bad_value",
                "unknown mark '\(name)'; expected none, "
                    + StoreMark.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return try change(call, open) { editor, key in
            try editor.mark([key], as: mark, at: now)
        }
    }

    /// `POST /api/exchanges/ID/tags`.
    static func tag(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let name = try call.required("name")
        let value = try call.text("value")
        return try change(call, open) { editor, key in
            try editor.setTags([(name: name, value: value)], of: [key])
        }
    }

    private static var now: Timestamp { Timestamp(microseconds: WallClock.microseconds) }

    /// Changes an exchange in its database.
    private static func change(
        _ call: Call,
        _ open: OpenStores,
        _ body: (StoreEditor, StoreKey) throws -> Int
    ) throws -> ServedResponse {
        let opened = try open.opened()
        let stores = opened.stores
        let id = try call.id()
        let key = try stores.key(of: id)
        guard let position = try stores.position(of: key) else { throw APIError.unknownID }
        let store = stores[position.store]
        guard store.isDatabase else {
            throw APIError(
                409,
                "read_only",
                "'\(store.path)' is a recording, to which nothing can be added",
                help: "'tapline import' makes a database of it."
            )
        }
        guard try body(try StoreEditor(store.path), key) > 0 else { throw APIError.unknownID }
        // At once, so that the next call of this page shows it.
        opened.generation.noteAnnotations()
        call.context.hub.noteChange(of: id)
        return .noContent
    }
}

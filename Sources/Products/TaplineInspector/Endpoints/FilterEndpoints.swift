// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// The endpoints of the search box.
enum FilterEndpoints {
    /// `GET /api/check`.
    static func check(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        // Errors are found even if there is no store yet.
        let filter = try FilterText(call.request.query("filter") ?? "") {
            try open.stores().savedFilters()
        }
        var json = JSONWriter()
        json.object { json in
            json.member("ok", true)
            json.member("means", filter.text)
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/complete`.
    static func complete(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let text = call.request.query("filter") ?? ""
        let at = try call.count("at", default: text.utf8.count, atMost: text.utf8.count)
        let completion = FilterCompletion(text, at: at)
        let items = try completion.items { field, prefix in
            try values(of: field, beginning: prefix, open)
        } saved: {
            (try? open.stores().savedFilters()) ?? []
        }
        var json = JSONWriter()
        json.object { json in
            json.member("from", completion.range.lowerBound)
            json.member("to", completion.range.upperBound)
            json.key("items")
            json.array { json in
                for item in items {
                    json.object { json in
                        json.member("text", item.text)
                        json.member("kind", item.kind)
                        if !item.detail.isEmpty { json.member("detail", item.detail) }
                    }
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/saved`.
    static func saved(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let filters = try open.stores().savedFilters()
        var json = JSONWriter()
        json.object { json in
            json.key("filters")
            json.array { json in
                for filter in filters {
                    json.object { json in
                        json.member("name", filter.name)
                        json.member("filter", filter.text)
                    }
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// `POST /api/saved`.
    static func save(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let stores = try open.stores()
        // A plain word is kept as the filter that it means.
        let filter = try FilterText(try call.required("filter")) { try stores.savedFilters() }
        let saved = try SavedFilter(name: try call.required("name"), text: filter.text)
        try editor(stores).save(saved)
        return .noContent
    }

    /// `POST /api/saved/remove`.
    static func remove(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let stores = try open.stores()
        guard try editor(stores).forgetFilter(try call.required("name")) else {
            throw APIError(404, "unknown_filter", "there is no saved filter of this name")
        }
        return .noContent
    }

    /// The first database, which keeps the filters.
    private static func editor(_ stores: StoreSet) throws -> StoreEditor {
        let index = (0..<stores.count).first { stores[$0].isDatabase } ?? 0
        return try StoreEditor(stores[index].path)
    }

    // MARK: Values

    /// Values that a field may have, of those that begin with a text.
    private static func values(
        of field: String,
        beginning prefix: String,
        _ open: OpenStores
    ) throws -> [String] {
        let known = knownValues(of: field)
        if !known.isEmpty { return known.filter { $0.hasPrefix(prefix) } }
        guard let kind = storedValues(of: field) else { return [] }
        let stores = try open.stores()
        var found: [String] = []
        for index in 0..<stores.count {
            for value in try stores[index].values(kind, beginning: prefix)
            where !found.contains(value.text) {
                found.append(value.text)
            }
        }
        return found
    }

    private static func storedValues(of field: String) -> StoreValueKind? {
        switch field {
        case "host": .hosts
        case "route": .routes
        case "id": .ids
        default: nil
        }
    }

    private static func knownValues(of field: String) -> [String] {
        switch field {
        case "method": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT"]
        case "scheme": ["http", "https"]
        case "status":
            [
                "200", "201", "204", "301", "302", "304", "400", "401", "403", "404", "429",
                "500", "502", "503", "504",
            ]
        case "content_type":
            [
                "application/json", "text/html", "text/plain", "text/css",
                "text/javascript", "image/png", "image/jpeg", "application/octet-stream",
            ]
        case "duration": ["100ms", "500ms", "1s", "5s"]
        case "mark": StoreMark.allCases.map(\.rawValue)
        default: (try? FieldReference.list(field))?.first?.field.closedSet ?? []
        }
    }
}

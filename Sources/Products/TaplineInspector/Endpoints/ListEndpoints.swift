// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// The endpoints of the list.
enum ListEndpoints {
    /// The largest number of rows of one answer.
    private static let maxRows = 1000

    /// The fields by which a list can be sorted.
    static let sortFields = [
        "started", "method", "status", "host", "path", "content_type", "request.size",
        "response.size", "duration", "client",
    ]

    /// `GET /api/rows`.
    static func rows(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let opened = try open.opened()
        let list = try ShownList(call, opened)
        let from = try call.count("from", default: 0, atMost: .max / 2)
        let count = try call.count("count", default: 100, atMost: maxRows)
        let slice = try list.view.slice(
            from..<from + count,
            through: list.last,
            within: InspectorContext.patience
        )
        let exchanges = try call.context.rows.rows(
            at: slice.positions,
            of: opened
        )
        var json = JSONWriter(capacity: 64 << 10)
        json.object { json in
            json.member("view", list.view.id)
            json.member("head", list.head.number)
            json.member("total", slice.total)
            json.member("complete", slice.isComplete)
            if slice.isCancelled { json.member("cancelled", true) }
            json.key("progress")
            json.double(slice.progress)
            json.member("from", from)
            json.key("rows")
            json.array { json in
                for (position, exchange) in zip(slice.positions, exchanges) {
                    if let exchange { json.row(exchange) } else { json.removedRow(position) }
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/locate`.
    static func locate(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let opened = try open.opened()
        let stores = opened.stores
        guard let id = call.request.query("id") else { throw APIError.missing("id") }
        guard let prefix = IDPrefix(id), prefix.isWhole else { throw APIError.unknownID }
        let key = try stores.key(of: prefix.first)
        let list = try ShownList(call, opened)
        guard let position = try stores.position(of: key),
            let index = try list.view.index(
                of: position,
                through: list.last,
                within: InspectorContext.patience
            )
        else { throw APIError(404, "not_in_list", "the exchange is not in this list") }
        var json = JSONWriter()
        json.object { $0.member("index", index) }
        return ServedResponse(json: json)
    }

    /// `POST /api/cancel`.
    static func cancel(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        call.context.views.cancel(try call.required("view"))
        return .noContent
    }
}

/// The list that a call asks for.
private struct ShownList {
    let view: ListView
    let head: NumberedHead
    /// The number of the last exchange that is visible.
    let last: Int64

    init(_ call: Call, _ opened: OpenedStores) throws {
        let generation = opened.generation
        // Read before the lists are built, so that one that misses a later change is not kept.
        let annotations = generation.annotations
        let filter = try call.filter(opened.stores)
        let sortText = call.request.query("sort") ?? ""
        let sort = try Self.sort(sortText)
        head = try call.head(opened)
        last = head.head.parts.first?.last ?? -1
        // A list that does not grow is built for its head; the other one for the newest head.
        let isFixed = sort != nil || opened.stores.count > 1
        let key = ViewCache.Key(
            filter: filter.text,
            sort: sortText,
            head: isFixed ? head.number : nil,
            generation: generation.number,
            annotations: filter.usesAnnotations ? annotations : nil
        )
        let wanted = isFixed ? head : generation.heads.current
        view = try call.context.views.view(
            key,
            filter.filter,
            sort,
            upTo: wanted.head,
            again: call.request.query("again") == "1",
            for: call.progress
        )
    }

    private static func sort(_ text: String) throws -> StoreSort? {
        guard !text.isEmpty else { return nil }
        let isDescending = text.hasPrefix("-")
        let name = isDescending ? String(text.dropFirst()) : text
        guard ListEndpoints.sortFields.contains(name),
            let field = try FieldReference.list(name).first
        else {
            throw APIError(
                400,
                "sort",
                "a list cannot be sorted by '\(name)'; expected "
                    + ListEndpoints.sortFields.joined(separator: ", ")
            )
        }
        return StoreSort(field, isDescending: isDescending)
    }
}

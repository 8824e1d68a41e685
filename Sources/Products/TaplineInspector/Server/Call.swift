// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// One call of the API.
struct Call: Sendable {
    let request: ServedRequest
    /// The segments of the path that the route leaves open.
    let values: [String]
    let context: InspectorContext
    /// Ends the queries of the call once nobody waits for it.
    let progress = QueryProgress()

    /// A number in the query; `nil` if it is absent.
    func number(_ name: String) throws(APIError) -> Int64? {
        guard let text = request.query(name), !text.isEmpty else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw APIError(400, "bad_value", "wrong value of '\(name)'; expected a number")
        }
        return number
    }

    /// A number in the query that is not larger than a limit.
    func count(_ name: String, default value: Int, atMost limit: Int) throws(APIError) -> Int {
        guard let number = try number(name) else { return value }
        return Int(clamping: min(number, Int64(limit)))
    }

    /// The filter in the query.
    func filter(_ stores: StoreSet, named name: String = "filter") throws -> FilterText {
        try FilterText(request.query(name) ?? "") { try stores.savedFilters() }
    }

    /// The head in the query, or the newest one.
    ///
    /// - Throws: `APIError` if it is a head of files that are not the stores any more.
    func head(_ opened: OpenedStores) throws(APIError) -> NumberedHead {
        let heads = opened.generation.heads
        guard let number = try number("head") else { return heads.current }
        return try heads.head(number)
    }

    /// The exchange in the path.
    func id() throws(APIError) -> ExchangeID {
        guard let text = values.first, let id = ExchangeID(text) else { throw .unknownID }
        return id
    }

    /// The whole exchange in the path.
    func exchange(_ stores: StoreSet) throws -> StoredExchange {
        guard let prefix = IDPrefix(try id().description) else { throw APIError.unknownID }
        return try stores.exchange(with: prefix)
    }

    /// Reads a text of the JSON in the body; `nil` if it is absent or null.
    func text(_ name: StaticString) throws(APIError) -> String? {
        var parser = JSONParser(maxDepth: 8)
        let body = request.body
        do {
            let document = try parser.parse(body.span)
            guard let value = document.root.member(name), !value.isNull else { return nil }
            if let text = value.asString { return text }
        } catch {
            throw APIError(400, "bad_json", "the body is not JSON")
        }
        throw APIError(400, "bad_value", "wrong value of '\(name)'; expected a text")
    }

    /// Reads a text of the JSON in the body.
    func required(_ name: StaticString) throws(APIError) -> String {
        guard let text = try text(name) else { throw .missing("\(name)") }
        return text
    }
}

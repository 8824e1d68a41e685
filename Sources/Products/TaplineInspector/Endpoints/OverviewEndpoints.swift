// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// The endpoints that count and measure the exchanges of a filter.
///
/// An answer is kept until the stores change.
enum OverviewEndpoints {
    private static let maxValues = 200
    private static let maxBuckets = 1000
    private static let maxAPIs = 1000

    // MARK: Facets

    /// `GET /api/facets`.
    static func facets(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let fields = try StatsField.list(
            call.request.query("fields") ?? "host,status_class,content_type,route,method"
        )
        guard fields.count <= 16 else {
            throw APIError(400, "bad_value", "too many fields; expected at most 16")
        }
        let limit = try call.count("limit", default: 20, atMost: maxValues)
        return try kept(call, open) { stores, filter, candidates in
            var query = StatsQuery(filter.filter, breakdowns: fields)
            query.candidates = candidates
            let result = try stores.stats(query, progress: call.progress)
            var json = JSONWriter()
            json.object { json in
                json.member("complete", !call.progress.isCancelled)
                json.key("fields")
                json.array { json in
                    for (field, counts) in zip(fields, result.total.breakdowns) {
                        json.facet(field, counts, limit)
                    }
                }
            }
            return ServedResponse(json: json)
        }
    }

    // MARK: Timeline

    /// `GET /api/timeline`.
    static func timeline(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let count = max(1, try call.count("buckets", default: 200, atMost: maxBuckets))
        let (from, to) = (try moment("from", call), try moment("to", call))
        let head = try call.head(open.opened()).head
        // A damaged row may have any time.
        let start = bounded(from ?? head.first?.microseconds ?? 0)
        let end = max(start, bounded(to ?? head.last?.microseconds ?? start))
        // A bucket begins at a multiple of its width.
        let step = max(1, (end - start) / Int64(count) + 1)
        let first = start / step
        return try kept(call, open) { stores, filter, candidates in
            var limits = ""
            if from != nil { limits = FilterText.both(limits, bound(">=", start)) }
            if to != nil { limits = FilterText.both(limits, bound("<=", end)) }
            let all = try Self.filter(FilterText.both(filter.text, limits))
            var query = StatsQuery(all, every: Microseconds(step), order: .key)
            query.candidates = candidates
            let result = try stores.stats(query, progress: call.progress)
            var buckets = [StatsRow?](repeating: nil, count: Int(end / step - first) + 1)
            for row in result.rows {
                guard let time = row.time?.microseconds else { continue }
                // Exchanges that were written later may have begun outside.
                let index = min(max(bounded(time) / step - first, 0), Int64(buckets.count - 1))
                buckets[Int(index)] = row
            }
            var json = JSONWriter()
            json.object { json in
                json.member("from", first * step)
                json.member("to", first * step + Int64(buckets.count) * step)
                json.member("step", step)
                json.member("complete", !call.progress.isCancelled)
                json.key("buckets")
                json.array { json in
                    for row in buckets { json.bucket(row) }
                }
            }
            return ServedResponse(json: json)
        }
    }

    private static func moment(_ name: String, _ call: Call) throws -> Int64? {
        try call.number(name).map(bounded)
    }

    /// A moment from 1970 to the end of the year 9999.
    private static func bounded(_ moment: Int64) -> Int64 {
        min(max(moment, 0), 253_402_300_799_999_999)
    }

    private static func bound(_ comparison: String, _ moment: Int64) -> String {
        "started \(comparison) \"\(Timestamp(microseconds: moment).rfc3339)\""
    }

    // MARK: APIs

    /// `GET /api/apis`.
    static func apis(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let fields = [StatsField.authority] + (try StatsField.list("route"))
        let breakdowns = try StatsField.list("method,status_class")
        return try kept(call, open) { stores, filter, candidates in
            var query = StatsQuery(
                filter.filter,
                by: fields,
                breakdowns: breakdowns,
                top: maxAPIs
            )
            query.candidates = candidates
            let result = try stores.stats(query, progress: call.progress)
            var json = JSONWriter()
            json.object { json in
                json.member("complete", !call.progress.isCancelled)
                if result.hidden > 0 { json.member("hidden", result.hidden) }
                json.key("apis")
                json.array { json in
                    for row in result.rows where !row.isOthers { json.api(row) }
                }
            }
            return ServedResponse(json: json)
        }
    }

    // MARK: What separates

    /// `GET /api/separates`.
    static func separates(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let fields =
            try StatsField.list("host,method,route,status,error,state,source,port")
            + [.caller]
        return try kept(call, open) { stores, filter, candidates in
            let chosen = try call.filter(stores, named: "chosen")
            guard chosen.filter != nil else { throw APIError.missing("chosen") }
            let both = try Self.filter(FilterText.both(filter.text, chosen.text))
            var query = StatsQuery(filter.filter, breakdowns: fields)
            query.candidates = candidates
            let all = try stores.stats(query, progress: call.progress).total
            query.filter = both
            let some = try stores.stats(query, progress: call.progress).total
            let values = Separation.values(fields, all: all, chosen: some)
            var json = JSONWriter()
            json.object { json in
                json.member("chosen", some.count)
                json.member("rest", max(all.count - some.count, 0))
                json.member("complete", !call.progress.isCancelled)
                json.key("values")
                json.array { json in
                    for value in values.prefix(maxValues) { json.separation(value) }
                }
            }
            return ServedResponse(json: json)
        }
    }

    // MARK: Answers

    private static func filter(_ text: String) throws -> Filter? {
        try FilterText(text) { [] }.filter
    }

    /// Returns the answer that is known for the query of a call, or makes it.
    private static func kept(
        _ call: Call,
        _ open: OpenStores,
        _ make: (StoreSet, FilterText, CandidateRows?) throws -> ServedResponse
    ) throws -> ServedResponse {
        let opened = try open.opened()
        let (stores, generation) = (opened.stores, opened.generation)
        // Read first, so that an answer that misses a later change is not kept.
        let annotations = generation.annotations
        let filter = try call.filter(stores)
        let head = try call.head(opened)
        let key = [
            call.request.request.target.description, filter.text,
            "\(head.number) \(head.head.count) \(generation.number) \(annotations)",
        ]
        return try call.context.answers.answer(key.joined(separator: "\n")) {
            let candidates = candidates(call, opened, filter, head, annotations)
            let response = try make(stores, filter, candidates)
            // The client has gone; what was counted is not everything.
            if call.progress.isCancelled { throw QueryCancelled() }
            return response
        }
    }

    /// The matches of the filter, if its list has found them and they are few: then nothing has to
    /// be searched again.
    private static func candidates(
        _ call: Call,
        _ opened: OpenedStores,
        _ filter: FilterText,
        _ head: NumberedHead,
        _ annotations: Int
    ) -> CandidateRows? {
        guard let read = filter.filter, opened.stores.count == 1 else { return nil }
        let key = ViewCache.Key(
            filter: filter.text,
            sort: "",
            head: nil,
            generation: opened.generation.number,
            annotations: filter.usesAnnotations ? annotations : nil
        )
        return call.context.views.candidates(key, for: read, among: head.head.count)
    }
}

/// How often a value appears in the chosen exchanges, and in the rest.
struct Separation {
    let field: String
    let value: FilterValue?
    let chosen: Int
    let rest: Int
    let shareOfChosen: Double
    let shareOfRest: Double

    /// Returns the values, the ones whose shares differ most first.
    static func values(
        _ fields: [StatsField],
        all: StatsRow,
        chosen: StatsRow
    ) -> [Separation] {
        let others = max(all.count - chosen.count, 0)
        var values: [Separation] = []
        for (index, field) in fields.enumerated()
        where all.breakdowns.indices.contains(index) && chosen.breakdowns.indices.contains(index) {
            var counts: [FilterValue?: Int] = [:]
            for count in all.breakdowns[index] where !count.isOthers {
                counts[count.value] = count.count
            }
            for count in chosen.breakdowns[index] where !count.isOthers {
                let rest = max((counts[count.value] ?? count.count) - count.count, 0)
                values.append(
                    Separation(
                        field: field.name,
                        value: count.value,
                        chosen: count.count,
                        rest: rest,
                        shareOfChosen: Double(count.count) / Double(max(chosen.count, 1)),
                        shareOfRest: Double(rest) / Double(max(others, 1))
                    )
                )
            }
        }
        return values.sorted {
            abs($0.shareOfChosen - $0.shareOfRest) > abs($1.shareOfChosen - $1.shareOfRest)
        }
    }
}

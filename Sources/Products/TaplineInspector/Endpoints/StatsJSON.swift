// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// The parts of overviews.
extension JSONWriter {
    /// Writes a value; null if it is absent.
    mutating func value(_ value: FilterValue?) {
        switch value {
        case .text(let bytes): text(bytes.span)
        case .whole(let number): integer(number)
        case .real(let number): double(number)
        case nil: null()
        }
    }

    /// Writes the most frequent values of a field.
    mutating func facet(_ field: StatsField, _ counts: [StatsCount], _ limit: Int) {
        object { json in
            json.member("field", field.name)
            json.key("values")
            json.array { json in
                for count in counts.filter({ !$0.isOthers }).prefix(limit) {
                    json.object { json in
                        json.key("value")
                        json.value(count.value)
                        json.member("count", count.count)
                    }
                }
            }
            json.member("distinct", counts.filter { !$0.isOthers }.count)
            if counts.contains(where: \.isOthers) { json.member("more", true) }
        }
    }

    /// Writes a bucket of the timeline.
    mutating func bucket(_ row: StatsRow?) {
        array { json in
            json.integer(row?.count ?? 0)
            json.integer(row?.errors ?? 0)
            json.integer(row.map { $0.bytesUp &+ $0.bytesDown } ?? 0)
        }
    }

    /// Writes a route of a host.
    mutating func api(_ row: StatsRow) {
        object { json in
            json.key("host")
            json.value(row.values.first ?? nil)
            json.key("route")
            json.value(row.values.count > 1 ? row.values[1] : nil)
            for (name, counts) in zip(["methods", "statuses"], row.breakdowns) {
                json.key(name.utf8.span)
                json.object { json in
                    for count in counts {
                        guard case .text(let text) = count.value else { continue }
                        json.key(String(decoding: text, as: UTF8.self).utf8.span)
                        json.integer(count.count)
                    }
                }
            }
            json.member("count", row.count)
            json.member("errors", row.errors)
            if let time = row.latency(0.5) { json.member("p50", time.count) }
            if let time = row.latency(0.95) { json.member("p95", time.count) }
            if let time = row.latency(0.99) { json.member("p99", time.count) }
            json.member("up", row.bytesUp)
            json.member("down", row.bytesDown)
            if let last = row.last { json.member("last", last.microseconds) }
        }
    }

    /// Writes how a value separates exchanges.
    mutating func separation(_ value: Separation) {
        object { json in
            json.member("field", value.field)
            json.key("value")
            json.value(value.value)
            json.member("chosen", value.chosen)
            json.member("rest", value.rest)
            json.key("share_chosen")
            json.double(value.shareOfChosen)
            json.key("share_rest")
            json.double(value.shareOfRest)
        }
    }
}

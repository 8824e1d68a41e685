// SPDX-License-Identifier: MIT

internal import TaplineExport
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineStore

extension JSONWriter {
    /// What a row of the list needs of an exchange.
    static var rowParts: StoreParts { [.tags, .fields, .extra] }

    /// Writes a row of the list.
    mutating func row(_ stored: StoredExchange) {
        row(stored.exchange, number: stored.key.number)
    }

    /// Writes a row of the list for an exchange at a position of a store.
    mutating func row(_ exchange: Exchange, number: Int64) {
        object { json in
            json.member("seq", number)
            json.member("id", exchange.id.description)
            json.member("at", exchange.started.microseconds)
            json.requestMembers(exchange.request)
            if let response = exchange.response {
                json.member("status", response.status)
                let type = response.body.mediaType(response.fields)
                if !type.isEmpty { json.member("type", type.span) }
            }
            json.member("state", exchange.state.name)
            if let error = exchange.error { json.member("error", error.code) }
            if let size = exchange.shownRequestSize { json.member("up", size) }
            if let size = exchange.shownResponseSize { json.member("down", size) }
            if let total = exchange.timing.total { json.member("us", total.count) }
            if !exchange.connection.client.isEmpty {
                json.member("client", exchange.connection.client)
            }
            if !exchange.source.isEmpty { json.member("source", exchange.source) }
            json.tags(exchange.tags)
            json.annotations(exchange.extra?.notes ?? [])
            json.timing(exchange.timing)
            if ExportRedaction.hasChanged(exchange) { json.member("masked", true) }
            let steps = exchange.extra?.provenance ?? []
            if !exchange.original.isEmpty || steps.contains(where: { !$0.changes.isEmpty }) {
                json.member("changed", true)
            }
        }
    }

    /// Writes a row in place of an exchange that was removed.
    mutating func removedRow(_ position: StorePosition) {
        object { json in
            json.member("seq", position.number)
            json.member("gone", true)
        }
    }

    private mutating func requestMembers(_ request: Request) {
        member("method", request.method.span)
        member("scheme", request.scheme.span)
        let authority = request.authority
        let parts = AuthorityParts(authority.span)
        member("host", authority.span.extracting(parts.host))
        if let port = parts.portNumber(authority.span, scheme: request.scheme.span) {
            member("port", port)
        }
        let target = request.target
        let path = TargetParts(target.span)
        let end = path.query?.upperBound ?? path.path.upperBound
        member("path", target.span.extracting(path.path.lowerBound..<end))
    }

    private mutating func tags(_ tags: Tags) {
        guard !tags.isEmpty else { return }
        key("tags")
        object { json in
            for tag in tags {
                json.key(tag.name.utf8.span)
                json.string(tag.value)
            }
        }
    }

    /// A star is shown beside a colour.
    private mutating func annotations(_ notes: [ExchangeNote]) {
        let star = StoreMark.star.rawValue
        let marks = notes.map(\.mark).filter { !$0.isEmpty }
        if let mark = marks.last(where: { $0 != star }) ?? marks.last { member("mark", mark) }
        if marks.contains(star) { member("star", true) }
        let count = notes.filter { !$0.text.isEmpty }.count
        if count > 0 { member("notes", count) }
    }

    private mutating func timing(_ timing: Timing) {
        let phases = [
            timing.dns, timing.connect, timing.tls, timing.send, timing.wait, timing.receive,
        ]
        guard phases.contains(where: { $0 != nil }) else { return }
        key("timing")
        array { json in
            for phase in phases {
                if let phase { json.integer(phase.count) } else { json.null() }
            }
        }
    }
}

// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineCodings
internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe
internal import TaplineStore

/// `POST /api/rules/try`: what rules would have done to stored exchanges.
enum RuleTryEndpoint {
    private static let maxExchanges = 10_000_000

    static func answer(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let trials = call.context.ruleBook.trials
        let opened = try open.opened()
        let (key, trial) = try trial(call, opened)
        let total = Int(clamping: opened.generation.heads.current.head.count)
        let report = try trial.go(on: opened.stores, total: total, call.progress)
        if report.isComplete { trials.remove(key) }
        var json = JSONWriter()
        json.object { json in
            json.member("seen", report.seen)
            if let total = report.total { json.member("total", total) }
            json.member("complete", report.isComplete)
            if !report.isComplete { json.member("key", key) }
            json.key("rules")
            json.array { json in
                for (index, rule) in trial.rules.enumerated() {
                    json.outcome(report.outcomes[index], index, rule)
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// The trial that goes on, or a new one.
    private static func trial(
        _ call: Call,
        _ opened: OpenedStores
    ) throws -> (key: String, trial: RuleTrial) {
        let book = call.context.ruleBook
        if let key = try call.text("key") {
            // What was seen of former files says nothing about others in their place.
            guard let trial = book.trials.trial(key),
                trial.generation == opened.generation.number
            else {
                throw APIError(404, "unknown_key", "this trial is no longer kept; begin again")
            }
            return (key, trial)
        }
        let file = try book.file(try call.required("id"))
        let text = Array(try call.required("text").utf8)
        let checked = try RuleEndpoints.check(call, text, of: file)
        guard checked.isValid else { throw checked.error }
        guard let set = checked.report.set else {
            throw APIError(
                400,
                "wrong_rules",
                "the rules cannot be tried: ${NAME} stays as it is, where a text is not possible",
                help: "write the value out to try it"
            )
        }
        let typed = try call.text("filter") ?? ""
        let filter = try FilterText(typed) { try opened.stores.savedFilters() }
        let trial = RuleTrial(
            set,
            checked.report.rules,
            filter.filter,
            limit: maxExchanges,
            of: opened.generation.number
        )
        return (book.trials.add(trial), trial)
    }
}

extension JSONWriter {
    fileprivate mutating func outcome(
        _ outcome: RuleTrial.Outcome?,
        _ index: Int,
        _ rule: RuleFileReport.Rule
    ) {
        object { json in
            json.member("index", index)
            if let name = rule.name { json.member("name", name) }
            json.member("hits", outcome?.hits ?? 0)
            json.key("examples")
            json.array { json in
                for example in outcome?.examples ?? [] { json.raw(example.json.span) }
            }
        }
    }

    /// Writes an exchange as it was, and as it would have been.
    mutating func example(_ stored: StoredExchange, _ evaluation: RuleEvaluation) {
        object { json in
            json.member("id", stored.exchange.id.description)
            json.key("row")
            json.row(stored)
            json.key("changes")
            json.array { json in
                for change in ExchangeChange.all(stored.exchange, evaluation.exchange) {
                    json.object { json in
                        json.member("at", change.place)
                        if let before = change.before { json.member("before", before) }
                        if let after = change.after { json.member("after", after) }
                    }
                }
            }
            var verdicts: [String] = []
            if evaluation.isAnswered { verdicts.append("respond") }
            if let failure = evaluation.failure { verdicts.append("fail (\(failure.code))") }
            if evaluation.isPaused { verdicts.append("pause") }
            if evaluation.delay.count > 0 {
                let tenths = evaluation.delay.count / 100_000
                verdicts.append("delay \(tenths / 10).\(tenths % 10)s")
            }
            if !verdicts.isEmpty { json.member("verdict", verdicts.joined(separator: ", ")) }
        }
    }
}

/// A part of an exchange that rules would have changed.
struct ExchangeChange {
    /// How much of a value is shown, in bytes.
    private static let maxBytes = 4096

    let place: String
    let before: String?
    let after: String?

    /// The parts in which two exchanges differ.
    static func all(_ old: Exchange, _ new: Exchange) -> [ExchangeChange] {
        var changes = Changes()
        changes.add("request.method", old.request.method.span, new.request.method.span)
        changes.add("request.url", old.request.url.span, new.request.url.span)
        changes.add("request.header.", old.request.fields, new.request.fields)
        changes.add("request.body", old.request.body, new.request.body)
        changes.add(
            "response.status",
            old.response.map { String($0.status) },
            new.response.map { String($0.status) }
        )
        changes.add(
            "response.header.",
            old.response?.fields ?? [:],
            new.response?.fields ?? [:]
        )
        changes.add("response.body", old.response?.body ?? Body(), new.response?.body ?? Body())
        for tag in new.tags where old.tags[tag.name] != tag.value {
            changes.add("tag.\(tag.name)", old.tags[tag.name], tag.value)
        }
        for tag in old.tags where new.tags[tag.name] == nil {
            changes.add("tag.\(tag.name)", tag.value, nil)
        }
        return changes.all
    }

    /// The beginning of a text.
    fileprivate static func text(_ bytes: Span<UInt8>) -> String {
        let end = min(bytes.count, maxBytes)
        let text = String(decoding: Array(copying: bytes.extracting(0..<end)), as: UTF8.self)
        return end < bytes.count ? "\(text)…" : text
    }

    private struct Changes {
        var all: [ExchangeChange] = []

        mutating func add(_ place: String, _ before: String?, _ after: String?) {
            guard before != after else { return }
            all.append(
                ExchangeChange(
                    place: place,
                    before: before.map { ExchangeChange.text($0.utf8.span) },
                    after: after.map { ExchangeChange.text($0.utf8.span) }
                )
            )
        }

        mutating func add(_ place: String, _ before: Span<UInt8>, _ after: Span<UInt8>) {
            add(place, ExchangeChange.text(before), ExchangeChange.text(after))
        }

        mutating func add(_ prefix: String, _ before: FieldSection, _ after: FieldSection) {
            var names: [String] = []
            for section in [after, before] {
                for position in 0..<section.count {
                    let bytes = Array(copying: section.name(at: position))
                    let name = String(decoding: bytes, as: UTF8.self)
                    let isKnown = names.contains { $0.lowercased() == name.lowercased() }
                    if !isKnown { names.append(name) }
                }
            }
            for name in names {
                add("\(prefix)\(name)", Self.values(name, before), Self.values(name, after))
            }
        }

        private static func values(_ name: String, _ section: FieldSection) -> String? {
            let values = section.all(name)
            return values.isEmpty ? nil : values.map(\.description).joined(separator: ", ")
        }

        mutating func add(_ place: String, _ before: Body, _ after: Body) {
            guard before != after else { return }
            add(place, Self.content(before), Self.content(after))
        }

        private static func content(_ body: Body) -> String? {
            if body.isAbsent { return nil }
            guard !body.coding.isEmpty else { return ExchangeChange.text(body.bytes.span) }
            let decoded = try? ContentCoding.decode(
                body.bytes.span,
                codings: ContentCoding.list(body.coding.span),
                limits: DecodingLimits(maxOutputBytes: 1 << 20)
            )
            let content = decoded ?? body.bytes
            return ExchangeChange.text(content.span)
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// Why recordings cannot answer requests.
struct AnswerError: Error, CustomStringConvertible {
    let description: String
}

extension AnswerLibrary {
    /// Reads recordings.
    ///
    /// - Parameters:
    ///   - settings: Names the recordings.
    ///   - log: Receives what cannot be read or used.
    ///   - former: What was read before; the new answers continue after it.
    /// - Returns: The answers.
    /// - Throws: `StoreError` if a recording cannot be read; `AnswerError` if none can be used.
    static func load(
        _ settings: AnswerSettings,
        _ log: Log,
        after former: AnswerLibrary? = nil
    ) throws -> AnswerLibrary {
        let stores = try StoreSet(settings.paths) { log.warning($0) }
        var loading = AnswerLoading(settings, after: former)
        for number in 0..<stores.count {
            let store = stores[number]
            if store.isDatabase {
                try loading.read(store, number)
            } else {
                try loading.read(store)
            }
        }
        let files = (0..<stores.count).map { stores[$0].path }
        let count = loading.places.count
        guard count > 0 || former?.hasRecorded == true else {
            throw AnswerError(
                description: loading.skipped == 0
                    ? "the recordings have no exchanges that match"
                    : "the recordings have no exchange that has ended"
            )
        }
        var text = "answering from \(Counted.text(count, "recording"))"
        if loading.skipped > 0 { text += "; \(loading.skipped) have no complete response" }
        log.info(text)
        let library = AnswerLibrary(
            loading.answers,
            loading.places,
            files: files,
            hosts: loading.hosts
        )
        if let former { library.continueAfter(former) }
        return library
    }
}

/// Recordings that are being read.
private struct AnswerLoading {
    /// How many rows of a database wait for their bodies.
    private static let batch = 4096

    let settings: AnswerSettings
    /// What was read before, and has been recorded since.
    let former: AnswerLibrary?
    /// The parts of requests that are compared or that choose the rules.
    private let parts: StoreParts
    private let comparesBodies: Bool
    let answers: RecordedAnswers
    var places: [AnswerLibrary.Place] = []
    /// The recorded hosts, if they are checked.
    var hosts: Set<ByteString> = []
    /// How many exchanges have no response that can be sent.
    var skipped = 0
    private var kept = 0

    init(_ settings: AnswerSettings, after former: AnswerLibrary?) {
        self.settings = settings
        self.former = former
        let special = settings.specialRules
        let all = special.map(\.rules) + [settings.rules]
        comparesBodies = all.contains { $0.parts.contains(.body) || $0.comparesAmbiguousBodies }
        var parts: StoreParts = all.allSatisfy(\.fields.isEmpty) ? [] : .fields
        for rules in all { parts.formUnion(StoreParts(usedBy: rules.values)) }
        for rules in special { parts.formUnion(StoreParts(usedBy: rules.filter)) }
        self.parts = parts
        answers = RecordedAnswers(
            settings.rules,
            special: special.map(\.rules),
            repeats: settings.repeats,
            masks: settings.masks
        )
    }

    /// Whether an exchange is in memory, as it was before it was redacted; a sink may have added it
    /// to the recordings as well.
    private func isKnown(_ id: ExchangeID) -> Bool { former?.hasRecorded(id) ?? false }

    /// Reads a recording into memory.
    mutating func read(_ store: Store) throws {
        try store.forEach(StoreQuery(settings.filter, order: .oldestFirst)) { stored in
            guard !isKnown(stored.exchange.id) else { return }
            guard let answer = RecordedAnswer(stored.exchange) else {
                skipped += 1
                return
            }
            kept += answer.memory
            guard kept <= AnswerLibrary.maxKept else {
                throw AnswerError(
                    description: "'\(store.path)' is too large to be kept in memory; import it "
                        + "into a database with 'tapline import --out'"
                )
            }
            let special = settings.specialRules(for: stored.exchange)
            add(answer.request, by: special, .kept(answer))
        }
    }

    /// Reads the requests of a database.
    ///
    /// Only rows whose bodies count are read with these.
    mutating func read(_ store: Store, _ number: Int) throws {
        // A closure that receives exchanges must not use its store.
        let bodies = StoreSet(try Store(store.path))
        var rows: [(row: StoredExchange, special: Int?)] = []
        func flush() throws {
            try add(rows, number, bodies)
            rows.removeAll(keepingCapacity: true)
        }
        let query = StoreQuery(settings.filter, order: .oldestFirst, parts: parts)
        try store.forEach(query) { stored in
            guard !isKnown(stored.exchange.id) else { return }
            guard AnswerLibrary.isUsable(stored.exchange),
                try !isUnplayable(stored, bodies)
            else {
                skipped += 1
                return
            }
            let special = settings.specialRules(for: stored.exchange)
            // Copies of rows take longer than the index, and answers keep the order of the rows.
            let waits = comparesBodies && (!rows.isEmpty || stored.hasRequestBody)
            guard waits else {
                let place = StorePosition(store: number, number: stored.key.number)
                return add(stored.exchange.request, by: special, .stored(place))
            }
            rows.append((stored, special))
            if rows.count == Self.batch { try flush() }
        }
        try flush()
    }

    /// Whether an exchange can be played only as a conversation, and has none: the server switched
    /// to a protocol other than WebSocket, or the client has cancelled something without events.
    private func isUnplayable(_ stored: StoredExchange, _ stores: StoreSet) throws -> Bool {
        let switches = stored.exchange.response?.status == 101
        guard switches || stored.exchange.state == .cancelled else { return false }
        // Rows have only the fields that are compared.
        let position = StorePosition(number: stored.key.number)
        let found = try stores.exchanges(at: [position], [.fields, .extra]).first ?? nil
        guard let exchange = found?.exchange, let response = exchange.response else { return true }
        if switches { return !response.opensWebSocket }
        return !response.isEventStream || !exchange.messages.contains(where: \.isEvent)
    }

    /// Adds rows, after reading the bodies that they have.
    private mutating func add(
        _ rows: [(row: StoredExchange, special: Int?)],
        _ number: Int,
        _ bodies: StoreSet
    ) throws {
        let wanted = rows.map(\.row).filter(\.hasRequestBody)
        var found: [Int64: Request] = [:]
        if !wanted.isEmpty {
            let positions = wanted.map { StorePosition(number: $0.key.number) }
            for stored in try bodies.exchanges(at: positions, [.fields, .bodies, .extra]) {
                if let stored { found[stored.key.number] = stored.exchange.request }
            }
        }
        for (row, special) in rows {
            let place = StorePosition(store: number, number: row.key.number)
            add(found[row.key.number] ?? row.exchange.request, by: special, .stored(place))
        }
    }

    private mutating func add(
        _ request: Request,
        by special: Int?,
        _ place: AnswerLibrary.Place
    ) {
        guard answers.add(request.withHTTPScheme, by: special) != nil else { return }
        places.append(place)
        if settings.checksHost { hosts.insert(request.authority.lowercasedHost) }
    }
}

extension StoredExchange {
    /// Whether the recorded request had content.
    fileprivate var hasRequestBody: Bool { exchange.request.body.size ?? 0 > 0 }
}

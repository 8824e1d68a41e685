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
        // What this run has recorded is in memory, as it was before it was redacted. A sink may have
        // added it to the recordings as well.
        let known = Set((former?.recorded ?? []).map(\.id))
        var loading = AnswerLoading(settings, known)
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
        guard count > 0 || !known.isEmpty else {
            throw AnswerError(
                description: loading.skipped == 0
                    ? "the recordings have no exchanges that match"
                    : "the recordings have no exchange that has ended"
            )
        }
        var text = "answering from \(Counted.text(count, "recording"))"
        if loading.skipped > 0 { text += "; \(loading.skipped) have no complete response" }
        log.info(text)
        let library = AnswerLibrary(loading.answers, loading.places, files: files)
        if let former { library.continueAfter(former) }
        return library
    }
}

/// Recordings that are being read.
private struct AnswerLoading {
    /// How many rows of a database wait for their bodies.
    private static let batch = 4096

    let settings: AnswerSettings
    /// The exchanges that are in memory already.
    let known: Set<ExchangeID>
    let answers: RecordedAnswers
    var places: [AnswerLibrary.Place] = []
    /// How many exchanges have no response that can be sent.
    var skipped = 0
    private var kept = 0

    init(_ settings: AnswerSettings, _ known: Set<ExchangeID>) {
        self.settings = settings
        self.known = known
        answers = RecordedAnswers(
            settings.rules,
            repeats: settings.repeats,
            masks: settings.masks
        )
    }

    /// Reads a recording into memory.
    mutating func read(_ store: Store) throws {
        try store.forEach(StoreQuery(settings.filter, order: .oldestFirst)) { stored in
            guard !known.contains(stored.exchange.id) else { return }
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
            add(answer.request, .kept(answer))
        }
    }

    /// Reads the requests of a database.
    ///
    /// Only rows whose bodies count are read with these.
    mutating func read(_ store: Store, _ number: Int) throws {
        let rules = settings.rules
        let comparesBodies = rules.parts.contains(.body) || rules.comparesAmbiguousBodies
        // A closure that receives exchanges must not use its store.
        let bodies = StoreSet(try Store(store.path))
        var rows: [StoredExchange] = []
        func flush() throws {
            try add(rows, number, bodies)
            rows.removeAll(keepingCapacity: true)
        }
        let parts: StoreParts = rules.fields.isEmpty ? [] : .fields
        let query = StoreQuery(settings.filter, order: .oldestFirst, parts: parts)
        try store.forEach(query) { stored in
            guard !known.contains(stored.exchange.id) else { return }
            guard AnswerLibrary.isUsable(stored.exchange) else {
                skipped += 1
                return
            }
            guard comparesBodies else {
                let place = StorePosition(store: number, number: stored.key.number)
                return add(stored.exchange.request, .stored(place))
            }
            rows.append(stored)
            if rows.count == Self.batch { try flush() }
        }
        try flush()
    }

    /// Adds rows, after reading the bodies that they have.
    private mutating func add(
        _ rows: [StoredExchange],
        _ number: Int,
        _ bodies: StoreSet
    ) throws {
        let wanted = rows.filter { $0.exchange.request.body.size ?? 0 > 0 }
        var found: [Int64: Request] = [:]
        if !wanted.isEmpty {
            let positions = wanted.map { StorePosition(number: $0.key.number) }
            for stored in try bodies.exchanges(at: positions, [.fields, .bodies, .extra]) {
                if let stored { found[stored.key.number] = stored.exchange.request }
            }
        }
        for row in rows {
            let place = StorePosition(store: number, number: row.key.number)
            add(found[row.key.number] ?? row.exchange.request, .stored(place))
        }
    }

    private mutating func add(_ request: Request, _ place: AnswerLibrary.Place) {
        if answers.add(request.withHTTPScheme) != nil { places.append(place) }
    }
}

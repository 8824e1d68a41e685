// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStore

/// A recording that is compared, which is read several times.
final class Recording {
    /// The memory for the last exchange of each request, in bytes.
    private static let repeatMemory = 64 << 20
    /// How many repeats of a request are compared.
    private static let maxRepeats = 20

    private let name: String
    private let stores: StoreSet
    private let filter: Filter?
    private let session: FieldReference?
    private let progress: QueryProgress

    init(
        _ name: String,
        _ arguments: DiffArguments,
        _ console: Console,
        _ progress: QueryProgress
    ) throws {
        self.name = name
        stores = try StoreSet([name]) { console.note("warning: \($0)") }
        filter = arguments.filter
        session = arguments.session
        self.progress = progress
    }

    /// How many exchanges could not be read.
    var problems: Int { stores.problems }

    /// Calls a closure with each exchange and its position, in order.
    func forEach(_ body: (Int, Exchange) throws -> Void) throws {
        var query = StoreQuery(filter, order: .oldestFirst, parts: [.fields, .bodies, .extra])
        query.progress = progress
        var position = 0
        try stores.forEach(query) { stored in
            try body(position, stored.exchange)
            position += 1
        }
    }

    /// Checks that an exchange is still where it was when the recording was read before.
    func check(_ position: Int, _ exchange: Exchange, _ index: RecordingIndex) throws {
        if index.ids.indices.contains(position), index.ids[position] == exchange.id { return }
        throw changed
    }

    /// The error if the recording is not the one that was read before.
    var changed: ChangedRecording { ChangedRecording(name: name) }

    /// Returns what requests are paired by.
    func index() throws -> RecordingIndex {
        var index = RecordingIndex()
        try forEach { position, exchange in
            index.keys.append(key(of: exchange))
            index.ids.append(exchange.id)
            if let original = exchange.extra?.replay?.original { index.links[position] = original }
        }
        return index
    }

    private func key(of exchange: Exchange) -> RequestKey {
        guard let session else {
            let address = Array(exchange.connection.clientAddress.utf8)
            return RequestKey(exchange.request, session: address.span)
        }
        var bytes: [UInt8] = []
        switch session.value(in: exchange) {
        case .text(let text): bytes = text
        case .whole(let number): bytes = Array("\(number)".utf8)
        case .real(let number): bytes = Array("\(number)".utf8)
        case nil: break
        }
        return RequestKey(exchange.request, session: bytes.span)
    }

    /// Calls a closure with each request of `GET` or `HEAD` and the one before that was equal to it.
    func forEachRepeat(_ body: (Exchange, Exchange) -> Void) throws {
        struct Earlier {
            var exchange: Exchange
            var count = 0
        }
        var earlier: [RequestKey: Earlier] = [:]
        var memory = 0
        try forEach { _, exchange in
            let method = exchange.request.method
            guard method == "GET" || method == "HEAD" else { return }
            let key = key(of: exchange)
            guard let former = earlier[key] else {
                guard memory + exchange.memory <= Self.repeatMemory else { return }
                memory += exchange.memory
                earlier[key] = Earlier(exchange: exchange)
                return
            }
            guard former.count < Self.maxRepeats else { return }
            body(former.exchange, exchange)
            let grown = memory + exchange.memory - former.exchange.memory
            let fits = grown <= Self.repeatMemory
            if fits { memory = grown }
            earlier[key] = Earlier(
                exchange: fits ? exchange : former.exchange,
                count: former.count + 1
            )
        }
    }
}

/// What the requests of a recording are paired by, in order.
struct RecordingIndex {
    var keys: [RequestKey] = []
    var ids: [ExchangeID] = []
    /// The recorded exchanges that replayed ones repeat.
    var links: [Int: ExchangeID] = [:]
}

/// A recording has other exchanges than when it was read before.
struct ChangedRecording: Error, CustomStringConvertible {
    let name: String

    var description: String { "'\(name)' has changed while it was read" }
}

/// The pairs of two recordings.
///
/// Both are read once for their keys. Then recorded exchanges are kept up to 256 MiB, and compared
/// while the other recording is read again, until there are no more.
///
/// **Limits**: 256 MiB, and about 200 bytes for each exchange.
struct RecordingPairs {
    /// A recorded exchange and the new one, or one without partner.
    enum Pair {
        case both(Exchange, Exchange)
        case missing(Exchange)
        case extra(Exchange)
    }

    /// Ends a pass when enough exchanges are kept.
    private struct Full: Error {}

    static let maxMemory = 256 << 20

    private let recorded: Recording
    private let found: Recording
    private let maxMemory: Int

    init(_ recorded: Recording, _ found: Recording, maxMemory: Int = RecordingPairs.maxMemory) {
        self.recorded = recorded
        self.found = found
        self.maxMemory = maxMemory
    }

    /// Calls a closure with each pair and each exchange without partner.
    func forEach(_ body: (Pair) -> Void) throws {
        let left = try recorded.index()
        let right = try found.index()
        let alignment = PairAlignment(left.keys, right.keys, links: Self.links(left, right))
        let extra = Set(alignment.extra)
        var repeats: [Int: [Int]] = [:]
        for (position, original) in alignment.repeats {
            repeats[original, default: []].append(position)
        }
        var start = 0
        repeat {
            let isFirst = start == 0
            var (held, next) = try hold(from: start, alignment, repeats, left, body)
            try found.forEach { position, exchange in
                guard position < right.ids.count else { return }
                try found.check(position, exchange, right)
                if let original = held.removeValue(forKey: position) {
                    body(.both(original, exchange))
                } else if isFirst, extra.contains(position) {
                    body(.extra(exchange))
                }
            }
            guard held.isEmpty else { throw found.changed }
            start = next
        } while start < left.ids.count
    }

    /// Returns recorded exchanges by the position of their partner, and where to go on.
    private func hold(
        from start: Int,
        _ alignment: PairAlignment,
        _ repeats: [Int: [Int]],
        _ index: RecordingIndex,
        _ body: (Pair) -> Void
    ) throws -> (held: [Int: Exchange], next: Int) {
        var held: [Int: Exchange] = [:]
        var memory = 0
        var next = start
        do {
            try recorded.forEach { position, exchange in
                guard position >= start else { return }
                guard position < index.ids.count, memory < maxMemory else { throw Full() }
                try recorded.check(position, exchange, index)
                next = position + 1
                guard let partner = alignment.partners[position] else {
                    return body(.missing(exchange))
                }
                var kept = exchange
                kept.request.body.bytes = []
                memory += kept.memory
                held[partner] = kept
                for position in repeats[position] ?? [] { held[position] = kept }
            }
        } catch is Full {}
        // The recording became shorter.
        if next == start, start < index.ids.count { throw recorded.changed }
        return (held, next)
    }

    /// Returns for each new exchange the position of the recorded one that it repeats.
    ///
    /// If both recordings are replays of the same one, exchanges that repeat the same exchange
    /// belong together, in their order.
    static func links(_ recorded: RecordingIndex, _ found: RecordingIndex) -> [Int: Int] {
        guard !found.links.isEmpty else { return [:] }
        var positions: [ExchangeID: [Int]] = [:]
        for (position, original) in recorded.links.sorted(by: { $0.key > $1.key }) {
            positions[original, default: []].append(position)
        }
        for (position, id) in recorded.ids.enumerated() { positions[id] = [position] }
        var links: [Int: Int] = [:]
        for (position, original) in found.links.sorted(by: { $0.key < $1.key }) {
            guard let left = positions[original], let partner = left.last else { continue }
            links[position] = partner
            if left.count > 1 { positions[original]?.removeLast() }
        }
        return links
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Requests of a file of GoReplay that wait for their responses, in the order of the file.
struct GorExchanges {
    private struct Entry {
        let id: [UInt8]
        let started: Timestamp
        let request: Request
        var response: Response?
        var duration: Microseconds?
        var replayed: Response?
        var replayedAt: Timestamp?
        var memory: Int
    }

    private static let maxCount = 8192
    private static let maxMemory = 64 << 20

    /// The entries from `first` on wait.
    private var entries: [Entry?] = []
    private var first = 0
    /// The positions of the entries, counted from the first one of the file.
    private var positions: [[UInt8]: Int] = [:]
    /// The position of `entries[0]`.
    private var base = 0
    private var memory = 0

    /// Adds a request; releases the oldest ones if too many wait.
    mutating func add(_ request: Request, _ header: GorHeader, to items: inout ImportedItems) {
        let size = Self.memory(request.fields, request.body) + request.target.count
        positions[header.id] = base + entries.count
        entries.append(
            Entry(id: header.id, started: header.time, request: request, memory: size)
        )
        memory += size
        releaseExcess(to: &items)
    }

    /// Adds a response, which takes the place of an earlier one; returns `false` if no request waits
    /// for it.
    mutating func add(
        _ response: Response,
        _ header: GorHeader,
        to items: inout ImportedItems
    ) -> Bool {
        guard let position = positions[header.id], position - base >= first,
            position - base < entries.count, var entry = entries[position - base]
        else { return false }
        let size = Self.memory(response.fields, response.body)
        entry.memory += size
        memory += size
        if header.kind == .response {
            entry.response = response
            entry.duration = header.latency ?? Self.duration(entry.started, header.time)
        } else {
            entry.replayed = response
            entry.replayedAt = header.time
            // Without the original response, this is the only one.
            if entry.response == nil {
                entry.duration = header.latency
            }
        }
        entries[position - base] = entry
        releaseExcess(to: &items)
        return true
    }

    /// Releases the oldest requests if too many wait.
    private mutating func releaseExcess(to items: inout ImportedItems) {
        while entries.count - first > Self.maxCount || memory > Self.maxMemory,
            first < entries.count
        {
            release(to: &items)
        }
    }

    /// Releases all requests.
    mutating func releaseAll(to items: inout ImportedItems) {
        while first < entries.count { release(to: &items) }
    }

    private static func memory(_ fields: FieldSection, _ body: Body) -> Int {
        512 + fields.byteCount + body.bytes.count
    }

    private static func duration(_ start: Timestamp, _ end: Timestamp) -> Microseconds? {
        let (length, isOver) = end.microseconds.subtractingReportingOverflow(start.microseconds)
        return isOver || length < 0 ? nil : Microseconds(length)
    }

    private mutating func release(to items: inout ImportedItems) {
        if let entry = entries[first] {
            memory -= entry.memory
            if positions[entry.id] == base + first { positions[entry.id] = nil }
            emit(entry, to: &items)
        }
        entries[first] = nil
        first += 1
        if first >= Self.maxCount {
            entries.removeFirst(first)
            base += first
            first = 0
        }
    }

    private func emit(_ entry: Entry, to items: inout ImportedItems) {
        var exchange = Exchange.imported(entry.request, started: entry.started)
        exchange.timing.total = entry.duration
        exchange.response = entry.response ?? entry.replayed
        if exchange.response == nil { exchange.markWithoutResponse() }
        if entry.response == nil, entry.replayed != nil {
            exchange.tags["gor.response"] = "replayed"
        }
        let key = entry.id
        exchange.id = RecordID.derived(started: entry.started, from: key.span, position: 0)
        let original = exchange.id
        items.add(exchange, from: key.span)
        guard entry.response != nil, let replayed = entry.replayed else { return }
        let started = entry.replayedAt ?? entry.started
        var replay = Exchange.imported(entry.request, started: started)
        replay.response = replayed
        replay.id = RecordID.derived(started: started, from: key.span, position: 1)
        var extra = ExchangeExtra()
        extra.replay = ReplayFacts(of: original)
        replay.extra = extra
        items.add(replay, from: key.span)
    }
}

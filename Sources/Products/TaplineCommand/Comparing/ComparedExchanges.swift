// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin

/// The redacted exchanges that the page of a comparison has: those of the examples, and others that
/// differ.
///
/// **Limits**: 48 MiB; 1,000 pairs in addition to those of the examples.
struct ComparedExchanges {
    /// The tag that names the side of an exchange.
    private static let tag = "side"
    private static let maxMemory = 48 << 20
    private static let maxOthers = 1000

    private let names: (recorded: String, found: String)
    private let clean: (Exchange) -> Exchange?
    /// The exchanges, in any order.
    private(set) var all: [Exchange] = []
    /// The ids that exchanges have in the page, by the ids that they have in the recordings.
    private var recorded: [ExchangeID: ExchangeID] = [:]
    private var found: Set<ExchangeID> = []
    /// All ids of the page.
    private var used: Set<ExchangeID> = []
    private var memory = 0
    private var others = 0
    /// How many pairs have both exchanges in the page.
    private(set) var pairs = 0

    init(names: (recorded: String, found: String), _ cleaning: Cleaning) {
        self.names = names
        clean = cleaning.clean
    }

    /// Takes a pair that was compared.
    mutating func add(_ outcome: Comparison.Outcome, _ first: Exchange, _ second: Exchange) {
        switch outcome {
        case .equal: return
        case .differs:
            guard others < Self.maxOthers else { return }
            others += 1
        case .example: break
        }
        guard let first = clean(first), let second = clean(second) else { return }
        let isKnown = recorded[first.id] != nil
        guard fits(first.memory + second.memory) else { return }
        if isKnown || add(recorded: first, besides: second.id), add(found: second) { pairs += 1 }
    }

    /// Takes a recorded exchange without a partner.
    mutating func addMissing(_ exchange: Exchange) {
        guard let exchange = clean(exchange), fits(exchange.memory) else { return }
        _ = add(recorded: exchange, besides: nil)
    }

    /// Takes a new exchange without a partner.
    mutating func addExtra(_ exchange: Exchange) {
        guard let exchange = clean(exchange), fits(exchange.memory) else { return }
        _ = add(found: exchange)
    }

    /// The id of a recorded exchange in the page; `nil` if the page does not have it.
    func recordedID(_ id: ExchangeID) -> ExchangeID? { recorded[id] }

    /// The id of a new exchange in the page; `nil` if the page does not have it.
    func foundID(_ id: ExchangeID) -> ExchangeID? { found.contains(id) ? id : nil }

    private func fits(_ bytes: Int) -> Bool { memory + bytes <= Self.maxMemory }

    private mutating func add(recorded exchange: Exchange, besides other: ExchangeID?) -> Bool {
        // Both sides may have the same ids, as edited copies of a recording do.
        let id =
            exchange.id == other
            ? ExchangeID(high: exchange.id.high, low: exchange.id.low ^ 1) : exchange.id
        guard recorded[exchange.id] == nil, used.insert(id).inserted else { return false }
        recorded[exchange.id] = id
        var shown = exchange
        shown.id = id
        shown.tags[Self.tag] = names.recorded
        memory += shown.memory
        all.append(shown)
        return true
    }

    private mutating func add(found exchange: Exchange) -> Bool {
        guard used.insert(exchange.id).inserted else { return false }
        found.insert(exchange.id)
        var shown = exchange
        shown.tags[Self.tag] = names.found
        memory += shown.memory
        all.append(shown)
        return true
    }
}

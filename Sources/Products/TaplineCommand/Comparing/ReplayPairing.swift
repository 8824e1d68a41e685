// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineRuntime
internal import TaplineStore

/// Finds the exchanges that those of a replay are compared with.
protocol ReplayPairing {
    /// Takes an exchange of the replay.
    mutating func add(_ record: Record, to pairs: inout PairConsumer) throws

    /// Pairs what is left.
    mutating func finish(to pairs: inout PairConsumer) throws

    /// What could not be compared, as sentences.
    var warnings: [String] { get }
}

/// Pairs the exchanges of a replay with the recorded ones.
///
/// Those of the replay are kept up to 256 MiB. Then, and at the end, the recordings are read.
struct RecordedPairs: ReplayPairing {
    private static let maxMemory = 256 << 20

    /// Ends a pass when nothing is left to compare.
    private struct Done: Error {}

    private let recordings: [String]
    /// The stages that the exchanges of the replay have passed.
    private let stages: RecordStages
    /// The exchanges of the replay by the id of the recorded one.
    private var held: [ExchangeID: [Exchange]] = [:]
    private var memory = 0
    /// How many exchanges repeat none of the recordings.
    private var unknown = 0
    /// How many exchanges repeat one that the stages drop.
    private var dropped = 0

    init(_ recordings: [String], _ stages: RecordStages) {
        self.recordings = recordings
        self.stages = stages
    }

    mutating func add(_ record: Record, to pairs: inout PairConsumer) throws {
        guard let original = record.exchange.extra?.replay?.original else {
            unknown += 1
            return
        }
        var kept = record.exchange
        kept.request.body.bytes = []
        memory += kept.memory
        held[original, default: []].append(kept)
        if memory > Self.maxMemory { try finish(to: &pairs) }
    }

    mutating func finish(to pairs: inout PairConsumer) throws {
        guard !held.isEmpty else { return }
        let stores = try StoreSet(recordings) { _ in }
        let query = StoreQuery(order: .oldestFirst, parts: [.fields, .bodies, .extra])
        do {
            try stores.forEach(query) { stored in
                guard let found = held.removeValue(forKey: stored.exchange.id) else { return }
                if case .sealed(let recorded) = stages.seal(stored.exchange) {
                    for exchange in found { pairs.add(recorded.exchange, exchange) }
                } else {
                    dropped += found.count
                }
                if held.isEmpty { throw Done() }
            }
        } catch is Done {}
        unknown += held.values.reduce(0) { $0 + $1.count }
        held.removeAll()
        memory = 0
    }

    var warnings: [String] {
        var sentences: [String] = []
        if unknown > 0 {
            sentences.append("\(Counted.text(unknown, "exchange")) not found in the recording")
        }
        if dropped > 0 {
            sentences.append(
                "\(Counted.text(dropped, "exchange")) not compared, since the stages drop the "
                    + "recorded one"
            )
        }
        return sentences
    }
}

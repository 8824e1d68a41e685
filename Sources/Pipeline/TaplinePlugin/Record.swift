// SPDX-License-Identifier: MIT

public import TaplineCrypto
public import TaplineModel
package import TaplineQuery

/// An exchange as sinks see it, after the last record stage.
///
/// It is final and immutable.
///
/// **Shape**: shared by all sinks, so a body that is queued for three of them exists once. Only
/// `RecordChain` creates records, so nothing reaches a sink without passing the chain.
public final class Record: Sendable {
    /// The exchange.
    public let exchange: Exchange
    /// The hash of the request's kept bytes; `nil` if there are none, or if no hash is needed.
    ///
    /// A hash is needed by some sinks, and if the recording that the exchange comes from has one.
    public let requestDigest: Digest?
    /// The hash of the response's kept bytes, under the same conditions.
    public let responseDigest: Digest?
    /// The approximate memory use in bytes.
    public let memory: Int

    fileprivate init(_ exchange: consuming Exchange, digests: Bool) {
        requestDigest = Record.digest(of: exchange.request.body, digests)
        responseDigest = exchange.response.flatMap { Record.digest(of: $0.body, digests) }
        memory = exchange.memory
        self.exchange = exchange
    }

    private static func digest(of body: Body, _ isNeeded: Bool) -> Digest? {
        guard isNeeded || body.isHashed, !body.bytes.isEmpty else { return nil }
        return SHA256.hash(body.bytes.span)
    }
}

/// The record stages of one lane, from top to bottom; the only creator of records.
package struct RecordChain {
    /// A stage of the chain; one without a record hook only counts.
    package struct Link {
        let id: String
        let condition: Filter?
        let stage: (any RecordStage)?
        let redacts: Bool

        /// Creates a link; without a stage it passes every exchange.
        package init(
            id: String = "",
            stage: (any RecordStage)?,
            when condition: Filter? = nil,
            redacts: Bool = false
        ) {
            self.id = id
            self.stage = stage
            self.condition = condition
            self.redacts = redacts
        }
    }

    /// The outcome of an exchange.
    package enum Outcome {
        /// The exchange was sealed.
        case sealed(Record)
        /// A stage dropped the exchange.
        case dropped(by: Int, reason: String)
        /// A stage failed, so the exchange was dropped.
        case failed(at: Int, any Error)
    }

    private let links: [Link]
    private let lastRedaction: Int?
    private let digests: Bool
    private let recordsProvenance: Bool
    /// The counters of each link.
    package private(set) var counters: [StageCounters]

    /// How often the condition of a stage that redacts has excluded an exchange.
    package var skippedRedactions: Int {
        links.indices.reduce(0) { $0 + (links[$1].redacts ? counters[$1].skipped : 0) }
    }

    /// Creates a chain of links; an empty chain seals exchanges unchanged.
    package init(
        _ links: [Link] = [],
        digests: Bool = false,
        recordsProvenance: Bool = false
    ) {
        self.links = links
        self.digests = digests
        self.recordsProvenance = recordsProvenance
        lastRedaction = links.lastIndex { $0.redacts }
        counters = Array(repeating: StageCounters(), count: links.count)
    }

    /// Runs the record stages and seals the result.
    ///
    /// It fails closed: if a stage throws, there is no record.
    package mutating func seal(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Outcome {
        context.plane = .record
        if recordsProvenance { context.beginProvenance(exchange) }
        for position in links.indices {
            counters[position].received += 1
            if context.droppedBy == position {
                counters[position].dropped += 1
                return .dropped(by: position, reason: context.dropReason)
            }
            if let stage = links[position].stage {
                if context.isSelected(position, when: links[position].condition, exchange) {
                    do {
                        let verdict = try run(stage, position, &exchange, &context)
                        if let reason = verdict.dropReason {
                            counters[position].dropped += 1
                            return .dropped(by: position, reason: reason)
                        }
                    } catch {
                        counters[position].errors += 1
                        return .failed(at: position, error)
                    }
                } else {
                    counters[position].skipped += 1
                    if recordsProvenance { context.noteExcluded(position, links[position].id) }
                }
            }
            counters[position].sent += 1
            if position == lastRedaction { context.removeVars() }
        }
        if recordsProvenance { context.storeProvenance(in: &exchange) }
        return .sealed(Record(exchange, digests: digests))
    }

    /// Calls the hook of a link.
    private func run(
        _ stage: any RecordStage,
        _ position: Int,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        guard recordsProvenance else { return try stage.record(&exchange, &context) }
        let link = links[position]
        if link.redacts { context.lendProvenance(to: &exchange) }
        let verdict = try stage.record(&exchange, &context)
        if link.redacts { context.takeBackProvenance(from: &exchange) }
        let name: ProvenanceVerdict = verdict.dropReason == nil ? .keep : .drop
        context.noteHook(of: link.id, name, isRedacting: link.redacts, exchange)
        return verdict
    }

    /// Seals an exchange that left a chain before and was read back from disk.
    ///
    /// It must not be used for anything else: `Tests/Scripts/imports` lists the permitted callers.
    package static func sealedAgain(
        _ exchange: consuming Exchange,
        digests: Bool
    ) -> Record {
        Record(exchange, digests: digests)
    }
}

/// The counters of a stage: received = sent + dropped + errors.
package struct StageCounters: Sendable, Equatable {
    /// Exchanges that the stage received.
    package var received = 0
    /// Exchanges that were passed on, including those that `when` excluded.
    package var sent = 0
    /// Exchanges that the stage dropped.
    package var dropped = 0
    /// Exchanges that were lost because the stage failed.
    package var errors = 0
    /// Exchanges that `when` excluded.
    package var skipped = 0
    /// Wire hooks that threw; the exchange continued as `on_error` sets.
    package var hookErrors = 0

    /// Creates counters at zero.
    package init() {}

    /// Adds the counts of another lane.
    package static func += (left: inout StageCounters, right: StageCounters) {
        left.received += right.received
        left.sent += right.sent
        left.dropped += right.dropped
        left.errors += right.errors
        left.skipped += right.skipped
        left.hookErrors += right.hookErrors
    }
}

extension ExchangeContext {
    /// Returns whether a stage's `when` matches; evaluated once, just before the stage's first
    /// hook.
    package mutating func isSelected(
        _ stage: Int,
        when condition: Filter?,
        _ exchange: borrowing Exchange
    ) -> Bool {
        guard let condition else { return true }
        if !decided.contains(stage) {
            decided.insert(stage)
            if condition.matches(exchange) { selected.insert(stage) }
        }
        return selected.contains(stage)
    }

    /// Returns whether a stage's `when` matches, or would match if it were evaluated now, without
    /// deciding it.
    package borrowing func mayBeSelected(
        _ stage: Int,
        when condition: Filter?,
        _ exchange: borrowing Exchange
    ) -> Bool {
        guard let condition else { return true }
        return decided.contains(stage) ? selected.contains(stage) : condition.matches(exchange)
    }
}

extension Exchange {
    /// The approximate memory use of the exchange, mostly its bodies and fields.
    package var memory: Int {
        var sum = 1024 + request.fields.byteCount + request.body.bytes.count
        sum += request.target.count + har.count
        if let response { sum += response.fields.byteCount + response.body.bytes.count }
        for message in messages { sum += message.memory }
        if hasExtra, let extra { sum += extra.memory }
        return sum
    }
}

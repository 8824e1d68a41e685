// SPDX-License-Identifier: MIT

internal import Synchronization
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
    private let line = Mutex<RecordLine?>(nil)

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

extension Record {
    /// The record as a line of NDJSON, if a queue on disk has encoded it; `nil` otherwise.
    package var encodedLine: RecordLine? {
        get { line.withLock { $0 } }
        set { line.withLock { $0 = newValue } }
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

    /// An exchange whose record hook gives its verdict later.
    package final class Parked {
        /// What gives the verdict.
        package let verdict: PendingVerdict
        /// The position of the stage whose hook gives it.
        package let position: Int
        fileprivate var exchange: Exchange
        fileprivate var context: ExchangeContext

        fileprivate init(
            _ verdict: PendingVerdict,
            at position: Int,
            _ exchange: consuming Exchange,
            _ context: consuming ExchangeContext
        ) {
            self.verdict = verdict
            self.position = position
            self.exchange = exchange
            self.context = context
        }

        /// The approximate memory use in bytes, until the verdict is known.
        package var memory: Int { exchange.memory + verdict.memory }
    }

    /// How far an exchange has come.
    package enum Step {
        /// The exchange has passed the chain.
        case ended(Outcome)
        /// A record hook gives its verdict later.
        case parked(Parked)
    }

    /// Where an exchange stops on its way through the chain.
    private enum Stop {
        case dropped(reason: String)
        case failed(any Error)
        case pending(PendingVerdict)
    }

    /// Runs the record stages and seals the result; waits for verdicts that are given later.
    ///
    /// It fails closed: if a stage throws, there is no record.
    package mutating func seal(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Outcome {
        var step = begin(exchange, context)
        while true {
            switch step {
            case .ended(let outcome): return outcome
            case .parked(let parked): step = resume(parked, parked.verdict.wait())
            }
        }
    }

    /// Runs the record stages up to the end or to the first verdict that is given later.
    package mutating func begin(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Step {
        context.plane = .record
        if recordsProvenance { context.beginProvenance(exchange) }
        var position = 0
        let stop = advance(&position, &exchange, &context)
        if case .pending(let verdict) = stop {
            return .parked(Parked(verdict, at: position, exchange, context))
        }
        return .ended(ending(stop, at: position, exchange))
    }

    /// Continues with the stages after the one that has given its verdict.
    package mutating func resume(_ parked: Parked, _ answer: PendingVerdict.Answer) -> Step {
        var position = parked.position
        var stop: Stop?
        switch answer {
        case .verdict(let verdict):
            stop = verdict.dropReason.map { .dropped(reason: $0) }
        case .replace(let exchange):
            // A stage cannot change the id and the source of an exchange.
            let (id, source) = (parked.exchange.id, parked.exchange.source)
            parked.exchange = exchange
            parked.exchange.id = id
            parked.exchange.source = source
        case .failed(let error):
            stop = .failed(error)
        }
        if recordsProvenance, links[position].stage != nil {
            let isDropped = if case .dropped = stop { true } else { false }
            parked.context.noteHook(
                of: links[position].id,
                isDropped ? .drop : .keep,
                isRedacting: links[position].redacts,
                parked.exchange
            )
        }
        if stop == nil {
            passed(position, &parked.context)
            position += 1
            stop = advance(&position, &parked.exchange, &parked.context)
        } else {
            note(stop, at: position)
        }
        if case .pending(let verdict) = stop {
            return .parked(Parked(verdict, at: position, parked.exchange, parked.context))
        }
        return .ended(ending(stop, at: position, parked.exchange))
    }

    /// Runs the stages from a position on; `nil` if the exchange has passed all of them.
    private mutating func advance(
        _ position: inout Int,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> Stop? {
        while position < links.count {
            counters[position].received += 1
            if context.droppedBy == position {
                counters[position].dropped += 1
                return .dropped(reason: context.dropReason)
            }
            if let stage = links[position].stage {
                if context.isSelected(position, when: links[position].condition, exchange) {
                    do {
                        let verdict = try run(stage, position, &exchange, &context)
                        if let pending = verdict.pending { return .pending(pending) }
                        if let reason = verdict.dropReason {
                            counters[position].dropped += 1
                            return .dropped(reason: reason)
                        }
                    } catch {
                        counters[position].errors += 1
                        return .failed(error)
                    }
                } else {
                    counters[position].skipped += 1
                    if recordsProvenance { context.noteExcluded(position, links[position].id) }
                }
            }
            passed(position, &context)
            position += 1
        }
        if recordsProvenance { context.storeProvenance(in: &exchange) }
        return nil
    }

    /// Counts an exchange that a stage has passed on.
    @inline(__always)
    private mutating func passed(_ position: Int, _ context: inout ExchangeContext) {
        counters[position].sent += 1
        if position == lastRedaction { context.removeVars() }
    }

    private func ending(_ stop: Stop?, at position: Int, _ exchange: consuming Exchange) -> Outcome
    {
        switch stop {
        case nil: .sealed(Record(exchange, digests: digests))
        case .dropped(let reason): .dropped(by: position, reason: reason)
        case .failed(let error): .failed(at: position, error)
        // Handled before.
        case .pending: .dropped(by: position, reason: "no verdict")
        }
    }

    /// Counts an exchange that a verdict given later has ended.
    private mutating func note(_ stop: Stop?, at position: Int) {
        switch stop {
        case .dropped: counters[position].dropped += 1
        case .failed: counters[position].errors += 1
        case .pending, nil: break
        }
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
        // A verdict that is given later is noted when it is.
        guard verdict.pending == nil else { return verdict }
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

    /// Exchanges that wait for the stage's verdict.
    package var pending: Int { received - sent - dropped - errors }

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

// SPDX-License-Identifier: MIT

public import TaplineCrypto
public import TaplineModel
public import TaplineQuery

/// An exchange as sinks see it: what left the last record stage.
///
/// Final and immutable.
///
/// **Shape**: shared by all sinks; a body queued for three of them exists once. Only
/// `RecordChain` makes one, so that nothing reaches a sink around the chain.
public final class Record: Sendable {
    /// The exchange.
    public let exchange: Exchange
    /// The hash of the request's kept bytes; `nil` if there are none, or neither a sink needs it nor
    /// the recording that the exchange comes from has one.
    public let requestDigest: Digest?
    /// The same of the response's kept bytes.
    public let responseDigest: Digest?
    /// About how much memory it takes.
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

/// The record stages of one lane, top to bottom, and the only maker of records.
public struct RecordChain {
    /// One stage of the chain; a stage without a record hook only counts.
    public struct Link {
        let condition: Filter?
        let stage: (any RecordStage)?
        let redacts: Bool

        /// A link; without a stage it lets everything pass.
        public init(stage: (any RecordStage)?, when condition: Filter? = nil, redacts: Bool = false)
        {
            self.stage = stage
            self.condition = condition
            self.redacts = redacts
        }
    }

    /// What became of an exchange.
    public enum Outcome {
        /// It is sealed.
        case sealed(Record)
        /// A stage dropped it.
        case dropped(by: Int, reason: String)
        /// A stage failed, so it was dropped.
        case failed(at: Int, any Error)
    }

    private let links: [Link]
    private let lastRedaction: Int?
    private let digests: Bool
    /// What went through each link.
    public private(set) var counters: [StageCounters]

    /// A chain of links; without any, exchanges are sealed as they are.
    public init(_ links: [Link] = [], digests: Bool = false) {
        self.links = links
        self.digests = digests
        lastRedaction = links.lastIndex { $0.redacts }
        counters = Array(repeating: StageCounters(), count: links.count)
    }

    /// Runs the record stages and seals what they leave.
    ///
    /// Fails closed: where a stage throws, there is no record.
    public mutating func seal(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Outcome {
        context.plane = .record
        for position in links.indices {
            counters[position].received += 1
            if context.droppedBy == position {
                counters[position].dropped += 1
                return .dropped(by: position, reason: context.dropReason)
            }
            if let stage = links[position].stage {
                if context.isSelected(position, when: links[position].condition, exchange) {
                    do {
                        let verdict = try stage.record(&exchange, &context)
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
                }
            }
            counters[position].sent += 1
            if position == lastRedaction { context.vars = Tags() }
        }
        return .sealed(Record(exchange, digests: digests))
    }

    /// Seals again what left a chain before and was read back from the disk.
    ///
    /// Nothing else: `Tests/Scripts/imports` lists who calls it.
    package static func sealedAgain(
        _ exchange: consuming Exchange,
        digests: Bool
    ) -> Record {
        Record(exchange, digests: digests)
    }
}

/// What went through a stage: received = sent + dropped + errors.
public struct StageCounters: Sendable, Equatable {
    /// Exchanges that came in.
    public var received = 0
    /// Exchanges that went on, those that `when` left out included.
    public var sent = 0
    /// Exchanges that the stage dropped.
    public var dropped = 0
    /// Exchanges that were lost since the stage failed.
    public var errors = 0
    /// Exchanges that `when` left out.
    public var skipped = 0
    /// Wire hooks that threw; the exchange went on as `on_error` says.
    public var hookErrors = 0

    /// Nothing yet.
    public init() {}

    /// Adds the counts of another lane.
    public static func += (left: inout StageCounters, right: StageCounters) {
        left.received += right.received
        left.sent += right.sent
        left.dropped += right.dropped
        left.errors += right.errors
        left.skipped += right.skipped
        left.hookErrors += right.hookErrors
    }
}

extension ExchangeContext {
    /// Whether a stage's `when` holds; evaluated once, just before the stage's first hook.
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

    /// Whether a stage's `when` holds, or would hold if it were evaluated now; decides nothing.
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
    /// About how much memory the exchange takes, its bodies and fields above all.
    package var memory: Int {
        var sum = 1024 + request.fields.byteCount + request.body.bytes.count
        sum += request.target.count + har.count
        if let response { sum += response.fields.byteCount + response.body.bytes.count }
        for message in messages { sum += message.memory }
        if hasExtra, let extra { sum += extra.memory }
        return sum
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// What the hooks of an exchange did so far.
///
/// The chain writes it around each hook; stages only add details.
///
/// **Shape**: names are as the hooks see them until a redacting stage edits them, so it must not be
/// shown before the exchange is sealed.
package struct ProvenanceLog: Sendable {
    private var steps: [ProvenanceStep] = []
    private var snapshot = ExchangeSnapshot()
    /// When the first hook began, and when the current one did.
    private let began: Int64
    private var current: Int64
    /// The details that the current hook has added.
    private var details: [ProvenanceDetail] = []
    private var hasFailed = false
    /// The stages whose `when` does not match.
    private var excluded = StageSet()
    /// A bit for each plane whose hooks have begun.
    private var planes: UInt8 = 0
    /// The steps whose names the exchange holds for a redacting stage, and where it holds them.
    private var lent: (steps: [Int], start: Int) = ([], 0)

    init() {
        began = SteadyClock.microseconds
        current = began
        steps.reserveCapacity(8)
    }

    /// Begins the hooks of a plane.
    mutating func begin(_ plane: Plane, _ exchange: borrowing Exchange, _ vars: Tags) {
        snapshot.take(exchange, vars, plane)
        planes |= 1 << plane.rawValue
        current = SteadyClock.microseconds
    }

    /// Forgets the variables, so that their removal is not a change.
    mutating func forgetVars() { snapshot.forgetVars() }

    /// Adds a detail of the current hook.
    mutating func add(_ detail: ProvenanceDetail) {
        if details.count < Self.maxDetails { details.append(detail) }
    }

    /// Notes that the current hook has failed.
    mutating func noteFailure() { hasFailed = true }

    /// Adds the step of a hook that has run.
    mutating func noteHook(
        _ plane: Plane,
        of stage: String,
        _ verdict: ProvenanceVerdict,
        delay: Microseconds?,
        isRedacting: Bool,
        _ exchange: borrowing Exchange,
        _ vars: Tags
    ) {
        let changes = snapshot.changes(to: exchange, vars, plane, isRedacting: isRedacting)
        steps.append(step(plane, of: stage, verdict, delay: delay, changes))
    }

    /// Adds how a paused exchange went on, with what was changed since `begin`.
    mutating func noteDecision(
        _ decision: ProvenanceDecision,
        _ verdict: ProvenanceVerdict,
        after wait: PauseWait,
        _ exchange: borrowing Exchange,
        _ vars: Tags
    ) {
        let changes = snapshot.changes(to: exchange, vars, wait.hook, isRedacting: false)
        let now = SteadyClock.microseconds
        current = now
        steps.append(
            ProvenanceStep(
                stage: wait.pause.stage,
                hook: wait.hook.name,
                verdict: verdict.rawValue,
                decision: decision.rawValue,
                at: Microseconds(max(now - began - wait.time.count, 0)),
                waited: wait.time,
                changes: changes,
                details: [ProvenanceDetail(name: "rule", value: wait.pause.rule)]
            )
        )
    }

    /// Adds a message to the step of a stage's message hook.
    mutating func noteMessage(
        of stage: String,
        _ verdict: ProvenanceVerdict,
        isChanged: Bool,
        _ exchange: borrowing Exchange,
        _ vars: Tags
    ) {
        var changes = snapshot.changes(to: exchange, vars, .message, isRedacting: false)
        if isChanged || verdict == .drop {
            let kind: ProvenanceKind = verdict == .drop ? .removed : .changed
            changes.append(
                ProvenanceChange(part: ProvenancePart.message.rawValue, kind: kind.rawValue)
            )
        }
        let next = step(.message, of: stage, verdict, delay: nil, changes)
        if let position = steps.firstIndex(where: { $0.hook == next.hook && $0.stage == stage }) {
            steps[position].merge(next)
        } else {
            steps.append(next)
        }
    }

    /// Adds a step, once, for a stage whose `when` does not match.
    mutating func noteExcluded(_ position: Int, _ stage: String, _ plane: Plane) {
        let now = SteadyClock.microseconds
        defer { current = now }
        if excluded.contains(position) { return }
        excluded.insert(position)
        steps.append(
            ProvenanceStep(
                stage: stage,
                hook: plane.name,
                skipped: ProvenanceSkip.when.rawValue,
                at: Microseconds(current - began),
                duration: Microseconds(now - current)
            )
        )
    }

    /// Adds a step for a hook that the exchange did not reach.
    mutating func noteUnasked(_ position: Int, _ stage: String, _ plane: Plane) {
        if excluded.contains(position) { return }
        steps.append(
            ProvenanceStep(
                stage: stage,
                hook: plane.name,
                skipped: ProvenanceSkip.notAsked.rawValue
            )
        )
    }

    /// Whether the hooks of a plane have begun.
    func hasBegun(_ plane: Plane) -> Bool { planes & 1 << plane.rawValue != 0 }

    /// Appends the steps to those that the exchange already has, for example from a recording.
    ///
    /// Of these, only the newest are kept, so that an exchange that is processed again and again
    /// does not grow without bound.
    func store(in exchange: inout Exchange) {
        if steps.isEmpty { return }
        exchange.setExtra { extra in
            if extra.provenance.isEmpty {
                extra.provenance = steps
            } else {
                let excess = extra.provenance.count + steps.count - Self.maxSteps
                extra.provenance.removeFirst(min(max(excess, 0), extra.provenance.count))
                extra.provenance += steps
            }
        }
    }

    /// The step of the current hook, which ends now.
    private mutating func step(
        _ plane: Plane,
        of stage: String,
        _ verdict: ProvenanceVerdict,
        delay: Microseconds?,
        _ changes: [ProvenanceChange]
    ) -> ProvenanceStep {
        let now = SteadyClock.microseconds
        defer {
            current = now
            hasFailed = false
            if !details.isEmpty { details = [] }
        }
        return ProvenanceStep(
            stage: stage,
            hook: plane.name,
            verdict: verdict.rawValue,
            isFailed: hasFailed,
            at: Microseconds(current - began),
            duration: Microseconds(now - current),
            delay: delay,
            changes: changes,
            details: details
        )
    }

    /// How many steps are kept in all when earlier ones exist.
    static let maxSteps = 256

    /// How many details of a step are kept.
    static let maxDetails = 64
}

// MARK: - Redaction

extension ProvenanceLog {
    /// Puts the names and details so far into an exchange, so that a redacting stage edits them.
    ///
    /// Steps without any are left out, so that they cost a redacting stage nothing.
    mutating func lend(to exchange: inout Exchange) {
        let named = steps.indices.filter { steps[$0].hasNames }
        guard !named.isEmpty else { return }
        var extra = exchange.extra ?? ExchangeExtra()
        lent = (named, extra.provenance.count)
        for position in named {
            extra.provenance.append(
                ProvenanceStep(
                    stage: "",
                    hook: "",
                    changes: steps[position].changes,
                    details: steps[position].details
                )
            )
        }
        exchange.extra = extra
    }

    /// Takes the edited names and details back; those that are missing are no longer shown.
    mutating func takeBack(from exchange: inout Exchange) {
        guard !lent.steps.isEmpty else { return }
        defer { lent = ([], 0) }
        var extra = exchange.extra ?? ExchangeExtra()
        let isWhole = extra.provenance.count == lent.start + lent.steps.count
        for (index, position) in lent.steps.enumerated() {
            guard isWhole else {
                steps[position].hideNames()
                continue
            }
            steps[position].changes = extra.provenance[lent.start + index].changes
            steps[position].details = extra.provenance[lent.start + index].details
        }
        guard isWhole else { return }
        extra.provenance.removeLast(lent.steps.count)
        exchange.extra = extra
    }
}

extension ProvenanceStep {
    /// Whether there is a text that may come from traffic.
    fileprivate var hasNames: Bool {
        !details.isEmpty || changes.contains { !$0.name.isEmpty }
    }

    fileprivate mutating func hideNames() {
        for position in changes.indices { changes[position].name = "" }
        details = []
    }

    /// Adds another call of the same hook.
    fileprivate mutating func merge(_ other: ProvenanceStep) {
        calls += 1
        verdict = other.verdict
        isFailed = isFailed || other.isFailed
        duration = Microseconds((duration?.count ?? 0) + (other.duration?.count ?? 0))
        for change in other.changes {
            let known = changes.firstIndex {
                $0.part == change.part && $0.name == change.name && $0.kind == change.kind
            }
            if let known {
                if change.part == ProvenancePart.message.rawValue { changes[known].count += 1 }
            } else if changes.count < ExchangeDifference.maxNames {
                changes.append(change)
            }
        }
        details += other.details.prefix(max(0, ProvenanceLog.maxDetails - details.count))
    }
}

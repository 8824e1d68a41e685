// SPDX-License-Identifier: MIT

package import TaplineModel

extension ExchangeContext {
    /// Whether the pipeline keeps what stages do to exchanges: `runtime: { provenance: true }`.
    public var recordsProvenance: Bool { !provenance.isEmpty }

    /// Adds a detail to the provenance of the current hook, such as the rule that matched.
    ///
    /// The text is computed only if provenance is recorded. Later redacting stages redact it with
    /// the record, so a redacting stage itself must not add anything that it has removed.
    ///
    /// - Parameters:
    ///   - name: The kind of detail: `rule`.
    ///   - value: The text.
    public mutating func addDetail(_ name: String, _ value: @autoclosure () -> String) {
        guard !provenance.isEmpty else { return }
        provenance[0].add(ProvenanceDetail(name: name, value: value()))
    }

    /// Begins the hooks of the current plane.
    package mutating func beginProvenance(_ exchange: borrowing Exchange) {
        if provenance.isEmpty { provenance.append(ProvenanceLog()) }
        provenance[0].begin(plane, exchange, vars)
    }

    /// Notes that the current hook has failed.
    package mutating func noteFailure() {
        if !provenance.isEmpty { provenance[0].noteFailure() }
    }

    /// Adds what a hook has done; called after its verdict was carried out.
    package mutating func noteHook(
        of stage: String,
        _ verdict: ProvenanceVerdict,
        delay: Microseconds = Microseconds(0),
        isRedacting: Bool = false,
        _ exchange: borrowing Exchange
    ) {
        guard !provenance.isEmpty else { return }
        provenance[0].noteHook(
            plane,
            of: stage,
            verdict,
            delay: delay.count > 0 ? delay : nil,
            isRedacting: isRedacting,
            exchange,
            vars
        )
    }

    /// Adds how a paused exchange went on, with what was changed since `beginProvenance`.
    package mutating func noteDecision(
        _ decision: ProvenanceDecision,
        _ verdict: ProvenanceVerdict,
        after wait: PauseWait,
        _ exchange: borrowing Exchange
    ) {
        guard !provenance.isEmpty else { return }
        provenance[0].noteDecision(decision, verdict, after: wait, exchange, vars)
    }

    /// Adds what a message hook has done.
    package mutating func noteMessage(
        of stage: String,
        _ verdict: ProvenanceVerdict,
        isChanged: Bool,
        _ exchange: borrowing Exchange
    ) {
        guard !provenance.isEmpty else { return }
        provenance[0].noteMessage(of: stage, verdict, isChanged: isChanged, exchange, vars)
    }

    /// Adds that the `when` of a stage does not match.
    package mutating func noteExcluded(_ position: Int, _ stage: String) {
        if !provenance.isEmpty { provenance[0].noteExcluded(position, stage, plane) }
    }

    /// Adds that the exchange did not reach a hook of a stage.
    package mutating func noteUnasked(_ position: Int, _ stage: String, _ plane: Plane) {
        if !provenance.isEmpty { provenance[0].noteUnasked(position, stage, plane) }
    }

    /// Whether the hooks of a plane have begun, or provenance is not recorded.
    package func hasBegun(_ plane: Plane) -> Bool {
        provenance.isEmpty || provenance[0].hasBegun(plane)
    }

    /// Removes the notes of hooks, which is not the work of a stage.
    mutating func removeVars() {
        vars = Tags()
        if !provenance.isEmpty { provenance[0].forgetVars() }
    }

    /// Lends names to an exchange while a redacting stage runs.
    mutating func lendProvenance(to exchange: inout Exchange) {
        if !provenance.isEmpty { provenance[0].lend(to: &exchange) }
    }

    /// Takes the names back after a redacting stage has run.
    mutating func takeBackProvenance(from exchange: inout Exchange) {
        if !provenance.isEmpty { provenance[0].takeBack(from: &exchange) }
    }

    /// Moves the provenance into the exchange before it is sealed.
    mutating func storeProvenance(in exchange: inout Exchange) {
        provenance.popLast()?.store(in: &exchange)
    }
}

extension Plane {
    /// The name of its hooks in records.
    package var name: String {
        switch self {
        case .request: "request"
        case .response: "response"
        case .record: "record"
        case .message: "message"
        }
    }
}

extension Verdict {
    /// Its name in provenance.
    package var provenance: ProvenanceVerdict {
        switch action {
        case .proceed: .proceed
        case .respond, .respondAsRecorded: .respond
        case .drop: .drop
        case .abort: .abort
        case .fail: .fail
        }
    }
}

extension MessageVerdict {
    /// Its name in provenance.
    package var provenance: ProvenanceVerdict {
        switch action {
        case .pass: .pass
        case .drop: .drop
        case .abort: .abort
        }
    }
}

// SPDX-License-Identifier: MIT

/// What one hook of a stage did to an exchange, or why it did not run; or how a person decided about
/// an exchange that a stage had paused.
///
/// It contains names only: the values are in the record itself.
public struct ProvenanceStep: Sendable, Equatable {
    /// The id of the stage.
    public var stage: String
    /// The hook: `request`, `response`, `message` or `record`.
    public var hook: String
    /// What the hook returned: `proceed`, `respond`, `drop`, `abort`, `fail`, `pass` or `keep`;
    /// empty if it did not run.
    public var verdict: String
    /// How the exchange went on after a stage had paused it; empty if the step is one of a hook.
    ///
    /// `resumed`, `changed`, `answered` or `aborted` by somebody; `timeout` or `unattended` if nobody
    /// decided; `ended` if it ended while it waited.
    public var decision: String
    /// Why the hook did not run: `when` if the stage's `when` did not match, `not_asked` if the
    /// exchange did not reach the hook; empty if it ran.
    public var skipped: String
    /// Whether the hook failed; then `verdict` is that of `on_error`.
    public var isFailed: Bool
    /// How often the hook ran; more than once only for `message`.
    public var calls: Int
    /// When the hook ended for the first time, relative to the exchange's first hook.
    public var at: Microseconds?
    /// The time spent in the hook, including the evaluation of `when`.
    public var duration: Microseconds?
    /// The delay that the hook asked for.
    public var delay: Microseconds?
    /// How long the exchange waited for the decision.
    public var waited: Microseconds?
    /// What the hook, or a person, changed.
    public var changes: [ProvenanceChange]
    /// What the stage adds about its work, such as the rules that matched; names may repeat.
    public var details: [ProvenanceDetail]

    /// Creates a step; by default, the hook neither ran nor changed anything.
    public init(
        stage: String,
        hook: String,
        verdict: String = "",
        decision: String = "",
        skipped: String = "",
        isFailed: Bool = false,
        calls: Int = 1,
        at: Microseconds? = nil,
        duration: Microseconds? = nil,
        delay: Microseconds? = nil,
        waited: Microseconds? = nil,
        changes: [ProvenanceChange] = [],
        details: [ProvenanceDetail] = []
    ) {
        self.stage = stage
        self.hook = hook
        self.verdict = verdict
        self.decision = decision
        self.skipped = skipped
        self.isFailed = isFailed
        self.calls = calls
        self.at = at
        self.duration = duration
        self.delay = delay
        self.waited = waited
        self.changes = changes
        self.details = details
    }
}

/// A part of an exchange that a hook changed, by name.
public struct ProvenanceChange: Sendable, Equatable {
    /// The part: `method`, `url`, `request.header`, `response.body`, `tag`.
    public var part: String
    /// The name of the field, tag or variable; empty if the part has no names, and for several
    /// fields or tags whose names are not shown.
    public var name: String
    /// The kind of change: `set` if there was nothing before, `changed` or `removed`.
    public var kind: String
    /// How many fields, tags, variables or messages this describes.
    public var count: Int
    /// The number of kept bytes before the change, if the part is a body.
    public var before: Int?
    /// The number of kept bytes after the change, if the part is a body.
    public var after: Int?

    /// Creates a change.
    public init(
        part: String,
        name: String = "",
        kind: String,
        count: Int = 1,
        before: Int? = nil,
        after: Int? = nil
    ) {
        self.part = part
        self.name = name
        self.kind = kind
        self.count = count
        self.before = before
        self.after = after
    }
}

/// What a stage adds about its work: `rule`, with the rule that matched.
public struct ProvenanceDetail: Sendable, Equatable {
    /// The kind of detail.
    public var name: String
    /// The text.
    public var value: String

    /// Creates a detail.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

// MARK: - Words

/// What a hook returned, as written in `ProvenanceStep.verdict`.
package enum ProvenanceVerdict: String, Sendable, CaseIterable {
    case proceed, respond, drop, abort, fail
    /// For messages.
    case pass
    /// For records.
    case keep
}

/// How a paused exchange went on, as written in `ProvenanceStep.decision`.
package enum ProvenanceDecision: String, Sendable, CaseIterable {
    case resumed, changed, answered, aborted
    /// Nobody decided in time.
    case timeout
    /// Nobody could decide any more.
    case unattended
    /// The exchange ended while it waited.
    case ended
}

/// Why a hook did not run, as written in `ProvenanceStep.skipped`.
package enum ProvenanceSkip: String, Sendable, CaseIterable {
    case when
    case notAsked = "not_asked"
}

/// How a part was changed, as written in `ProvenanceChange.kind`.
package enum ProvenanceKind: String, Sendable, CaseIterable {
    case set, changed, removed
}

/// The parts that hooks change, as written in `ProvenanceChange.part`.
package enum ProvenancePart: String, Sendable, CaseIterable {
    case method, url, status, reason, response, message, messages, tag, timing, connection, bytes
    case original, error, state, source, started, id, har, replay, notes, stream, grpc
    /// A note for later hooks, which is not recorded itself.
    case variable = "var"
    case requestVersion = "request.version"
    case requestHeader = "request.header"
    case requestBody = "request.body"
    case requestTrailer = "request.trailer"
    case responseVersion = "response.version"
    case responseHeader = "response.header"
    case responseBody = "response.body"
    case responseTrailer = "response.trailer"
    case interim = "response.interim"
}

extension ProvenanceStep {
    /// The words with a fixed meaning, which are never secrets.
    private static let words: Set<String> = {
        var words: Set<String> = ["request", "response", "message", "record"]
        words.formUnion(ProvenanceVerdict.allCases.map(\.rawValue))
        words.formUnion(ProvenanceDecision.allCases.map(\.rawValue))
        words.formUnion(ProvenanceSkip.allCases.map(\.rawValue))
        words.formUnion(ProvenanceKind.allCases.map(\.rawValue))
        words.formUnion(ProvenancePart.allCases.map(\.rawValue))
        return words
    }()

    /// Calls `edit` with each text that is not a word with a fixed meaning.
    mutating func editTexts(_ edit: (inout String, ExchangeExtra.TextKind) -> Void) {
        func editWord(_ word: inout String) {
            if !word.isEmpty, !Self.words.contains(word) { edit(&word, .free) }
        }
        if !stage.isEmpty { edit(&stage, .free) }
        editWord(&hook)
        editWord(&verdict)
        editWord(&decision)
        editWord(&skipped)
        for position in changes.indices {
            editWord(&changes[position].part)
            if !changes[position].name.isEmpty { edit(&changes[position].name, .name) }
            editWord(&changes[position].kind)
        }
        for position in details.indices {
            edit(&details[position].name, .free)
            edit(&details[position].value, .free)
        }
    }

    /// The approximate memory that it takes, in bytes.
    var memory: Int {
        var sum = MemoryLayout<ProvenanceStep>.stride + stage.utf8.count
        for change in changes {
            sum += MemoryLayout<ProvenanceChange>.stride + change.name.utf8.count
        }
        for detail in details {
            sum += MemoryLayout<ProvenanceDetail>.stride + detail.name.utf8.count
            sum += detail.value.utf8.count
        }
        return sum
    }
}

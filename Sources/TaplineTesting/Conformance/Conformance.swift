// SPDX-License-Identifier: MIT

/// What every plugin has to hold to, as checks that its tests call in one line.
///
/// ```swift
/// let violations = await Conformance.violations(of: .limitBody, options: "max_bytes: 1KiB")
/// #expect(violations.isEmpty)
/// ```
///
/// The plugin is built from YAML text in the way that `tapline run` builds it, in a folder of its
/// own that is removed afterwards, and runs in a real pipeline. There is a function for each kind
/// of plugin.
public enum Conformance {}

/// One way in which a plugin does not hold to what is asked of all.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The check that found it.
    public let check: Check
    /// What is wrong, for people.
    public let text: String

    /// The check and the text.
    public var description: String { "\(check): \(text)" }
}

extension Violation {
    /// A check of the suite, to say which of them a plugin is excused from.
    public struct Check: Sendable, Hashable, CustomStringConvertible {
        /// Its name in violations.
        public let description: String

        init(_ name: String) { description = name }

        /// The plugin and its options are named, described and exemplified.
        public static let description = Check("description")
        /// The component builds from the given options.
        public static let builds = Check("builds")
        /// An unknown option is refused, with a suggestion.
        public static let unknownOption = Check("unknown option")
        /// Building neither creates nor changes a file.
        public static let sideEffects = Check("side effects of building")
        /// The run ends in time, and without a failure.
        public static let run = Check("run")
        /// Exchanges stay in order.
        public static let order = Check("order")
        /// Each exchange ends exactly once and stays who it is.
        public static let oneEnd = Check("one end")
        /// What comes in goes out, is dropped, or is an error; all of it is counted.
        public static let counters = Check("counters")
        /// What is odd passes without an error.
        public static let oddInput = Check("odd input")
        /// No log line and no error holds what was in the traffic.
        public static let secrets = Check("secrets")
        /// A stage has the hooks that it says, and only those of its planes change anything.
        public static let hooks = Check("hooks")
        /// A stage makes the same of one exchange in every lane.
        public static let lanes = Check("lanes")
        /// Files that are created are for their owner only (mode 0600).
        public static let fileModes = Check("file modes")
        /// What a sink has acknowledged is there.
        public static let acknowledged = Check("acknowledged")
        /// A sink opens again after it was closed, and opens its files anew.
        public static let reopening = Check("reopening")
        /// A sink writes a batch whole or not at all, so that a retry writes nothing twice.
        public static let batches = Check("batches")
        /// A source waits while sinks are full, and ends when nobody takes records.
        public static let admission = Check("admission")
        /// A source returns soon after it was cancelled, and by itself at the end of its input.
        public static let ending = Check("ending")
        /// A source uses lanes as their protocol says.
        public static let laneUse = Check("use of lanes")
    }
}

/// The violations found so far.
struct Findings {
    private(set) var all: [Violation] = []
    private let excluded: Set<Violation.Check>

    init(excluding excluded: Set<Violation.Check> = []) {
        self.excluded = excluded
    }

    /// Notes a violation, once.
    mutating func note(_ check: Violation.Check, _ text: String) {
        let violation = Violation(check: check, text: text)
        guard !excluded.contains(check), !all.contains(violation) else { return }
        all.append(violation)
    }

    /// Notes a violation where a condition does not hold.
    mutating func expect(_ holds: Bool, _ check: Violation.Check, _ text: @autoclosure () -> String)
    {
        if !holds { note(check, text()) }
    }
}

// SPDX-License-Identifier: MIT

/// The requirements for every plugin, as checks that its tests call in one line.
///
/// ```swift
/// let violations = await Conformance.violations(of: .limitBody, options: "max_bytes: 1KiB")
/// #expect(violations.isEmpty)
/// ```
///
/// The plugin is built from YAML text in the same way as by `tapline run`, in a folder of its own
/// that is removed afterwards, and runs in a real pipeline. There is a function for each kind of
/// plugin.
public enum Conformance {}

/// A requirement that a plugin does not meet.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The check that found it.
    public let check: Check
    /// A description of the problem.
    public let text: String

    /// The check and the text.
    public var description: String { "\(check): \(text)" }
}

extension Violation {
    /// A check of the suite, used to exclude it for a plugin.
    public struct Check: Sendable, Hashable, CustomStringConvertible {
        /// Its name in violations.
        public let description: String

        init(_ name: String) { description = name }

        /// The plugin and its options have names, descriptions and examples.
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
        /// Each exchange ends exactly once and keeps its identity.
        public static let oneEnd = Check("one end")
        /// Every exchange leaves, is dropped, or is an error, and all are counted.
        public static let counters = Check("counters")
        /// Unusual input passes without an error.
        public static let oddInput = Check("odd input")
        /// No log line and no error contains data from the traffic.
        public static let secrets = Check("secrets")
        /// A stage has the hooks that it declares, and changes only what they may change.
        public static let hooks = Check("hooks")
        /// A stage gives the same result for an exchange in every lane.
        public static let lanes = Check("lanes")
        /// Created files are accessible only to their owner (mode 0600).
        public static let fileModes = Check("file modes")
        /// Exchanges that a sink has acknowledged are stored.
        public static let acknowledged = Check("acknowledged")
        /// A sink opens again after it was closed, and reopens its files.
        public static let reopening = Check("reopening")
        /// A sink writes a batch completely or not at all, so that a retry writes nothing twice.
        public static let batches = Check("batches")
        /// A source waits while sinks are full, and ends when no records are accepted.
        public static let admission = Check("admission")
        /// A source returns soon after it was cancelled, and at the end of its input.
        public static let ending = Check("ending")
        /// A source uses lanes as their protocol requires.
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

    /// Records a violation, unless it is already known.
    mutating func note(_ check: Violation.Check, _ text: String) {
        let violation = Violation(check: check, text: text)
        guard !excluded.contains(check), !all.contains(violation) else { return }
        all.append(violation)
    }

    /// Records a violation if a condition is false.
    mutating func expect(_ holds: Bool, _ check: Violation.Check, _ text: @autoclosure () -> String)
    {
        if !holds { note(check, text()) }
    }
}

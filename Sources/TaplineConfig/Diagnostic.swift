// SPDX-License-Identifier: MIT

/// One problem in a configuration, or a remark about it.
public struct Diagnostic: Sendable, Hashable {
    /// How bad it is.
    public struct Severity: Sendable, Hashable, Comparable, CustomStringConvertible {
        private var rank: UInt8

        /// The configuration cannot be used.
        public static let error = Severity(rank: 2)
        /// It can be used, but probably not as it was meant.
        public static let warning = Severity(rank: 1)
        /// Something worth knowing.
        public static let note = Severity(rank: 0)

        /// `error`, `warning` or `note`.
        public var description: String {
            switch rank {
            case 2: "error"
            case 1: "warning"
            default: "note"
            }
        }

        /// Whether one is less bad than another.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rank < right.rank
        }
    }

    /// How bad it is.
    public var severity: Severity
    /// Where it is, when it is at one place.
    public var location: SourceLocation?
    /// What is wrong: `what is wrong; found X, expected Y`, lower case, no full stop.
    public var message: String
    /// What to do, as an action; one line.
    public var help: String?

    /// Makes a problem.
    public init(
        _ severity: Severity,
        at location: SourceLocation? = nil,
        _ message: String,
        help: String? = nil
    ) {
        self.severity = severity
        self.location = location
        self.message = message
        self.help = help
    }

    /// The lines that are printed, without a newline at the end.
    public var rendered: String {
        var lines: [String] = []
        let place = location.map { "\($0): " } ?? ""
        lines.append("\(place)\(severity): \(message)")
        if let location {
            lines += ExcerptRenderer(location).lines
        }
        if let help {
            lines.append("help: \(help)")
        }
        return lines.joined(separator: "\n")
    }
}

// SPDX-License-Identifier: MIT

/// A problem in a configuration, or a note about it.
package struct Diagnostic: Sendable, Hashable {
    /// The severity of a diagnostic.
    package struct Severity: Sendable, Hashable, Comparable, CustomStringConvertible {
        private var rank: UInt8

        /// The configuration cannot be used.
        package static let error = Severity(rank: 2)
        /// The configuration can be used, but probably does not mean what was intended.
        package static let warning = Severity(rank: 1)
        /// Information that is worth knowing.
        package static let note = Severity(rank: 0)

        /// `error`, `warning` or `note`.
        package var description: String {
            switch rank {
            case 2: "error"
            case 1: "warning"
            default: "note"
            }
        }

        /// Returns whether one severity is lower than another.
        package static func < (left: Severity, right: Severity) -> Bool {
            left.rank < right.rank
        }
    }

    /// The severity.
    package var severity: Severity
    /// The location of the problem, if it has one.
    package var location: SourceLocation?
    /// The problem, as `what is wrong; found X, expected Y`, in lower case without a full stop.
    package var message: String
    /// The remedy, as an instruction in one line.
    package var help: String?

    /// Creates a diagnostic.
    package init(
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

    /// The location, the severity and the message.
    var heading: String {
        let place = location.map { "\($0): " } ?? ""
        return "\(place)\(severity): \(message)"
    }

    /// The printed lines, without a final newline.
    package var rendered: String {
        var lines = [heading]
        if let location {
            lines += ExcerptRenderer(location).lines
        }
        if let help {
            lines.append("help: \(help)")
        }
        return lines.joined(separator: "\n")
    }
}

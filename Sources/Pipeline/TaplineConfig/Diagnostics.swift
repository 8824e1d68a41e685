// SPDX-License-Identifier: MIT

/// The problems of one phase, collected so that all of them are reported in one run.
///
/// It conforms to `Error`, so that a phase can throw its problems.
///
/// **Limits** At most ``limit`` diagnostics are kept and further ones are counted, so a hostile
/// file cannot exhaust memory.
public struct Diagnostics: Error {
    /// The maximum number of diagnostics that are kept.
    package static let limit = 200

    /// The diagnostics in the order in which they were found.
    package private(set) var all: [Diagnostic] = []
    /// The number of diagnostics found after ``limit`` was reached.
    package private(set) var omitted = 0
    /// Whether any diagnostic, kept or not, is an error.
    public private(set) var hasErrors = false

    /// Creates an empty collection.
    public init() {}

    /// Whether there are no diagnostics.
    public var isEmpty: Bool { all.isEmpty }

    /// Adds a diagnostic; repetitions at the same location, and repeated notes, are ignored.
    package mutating func append(_ diagnostic: Diagnostic) {
        if diagnostic.severity == .error {
            hasErrors = true
        }
        guard all.count < Self.limit else {
            omitted += 1
            return
        }
        guard !all.contains(diagnostic) else { return }
        let isNote = diagnostic.severity == .note
        guard !isNote || !all.contains(where: { $0.message == diagnostic.message }) else { return }
        all.append(diagnostic)
    }

    /// Adds the diagnostics of another phase.
    package mutating func append(contentsOf other: Diagnostics) {
        for diagnostic in other.all {
            append(diagnostic)
        }
        omitted += other.omitted
        hasErrors = hasErrors || other.hasErrors
    }

    /// Adds an error.
    public mutating func error(
        at location: SourceLocation?,
        _ message: String,
        help: String? = nil
    ) {
        append(Diagnostic(.error, at: location, message, help: help))
    }

    /// Adds a warning.
    public mutating func warning(
        at location: SourceLocation?,
        _ message: String,
        help: String? = nil
    ) {
        append(Diagnostic(.warning, at: location, message, help: help))
    }

    /// Adds a note.
    public mutating func note(
        at location: SourceLocation?,
        _ message: String,
        help: String? = nil
    ) {
        append(Diagnostic(.note, at: location, message, help: help))
    }

    /// The diagnostics without notes, which are only advice.
    package var withoutNotes: Diagnostics {
        var result = self
        result.all.removeAll { $0.severity == .note }
        return result
    }

    /// Changes the texts of the diagnostics; their number and locations stay the same.
    mutating func mapTexts(_ change: (String) -> String) {
        for index in all.indices {
            all[index].message = change(all[index].message)
            all[index].help = all[index].help.map(change)
        }
    }

    /// The diagnostics by location; those without one come first, and equal locations keep their
    /// order.
    ///
    /// Sources are ordered by name. Sources without lines (arguments, code) come before them, in
    /// the order in which they were found.
    package var sorted: [Diagnostic] {
        var ranks: [ConfigSource: Int] = [:]
        for case let source? in all.map(\.location?.source) where ranks[source] == nil {
            ranks[source] = ranks.count
        }
        return all.enumerated()
            .sorted { left, right in
                guard let first = left.element.location, let second = right.element.location else {
                    let isFirst = left.element.location == nil
                    let isSecond = right.element.location == nil
                    return isFirst == isSecond ? left.offset < right.offset : isFirst
                }
                let (hasLines, otherHasLines) = (first.source.hasLines, second.source.hasLines)
                if hasLines != otherHasLines { return otherHasLines }
                if hasLines, first.file != second.file { return first.file < second.file }
                let (rank, other) = (ranks[first.source] ?? 0, ranks[second.source] ?? 0)
                return (rank, first.byteOffset, left.offset)
                    < (other, second.byteOffset, right.offset)
            }
            .map(\.element)
    }

    /// The printed text: all diagnostics by location, each with its source line.
    ///
    /// It ends with a newline unless it is empty.
    package var rendered: String {
        var result = ""
        for diagnostic in sorted {
            result += diagnostic.rendered
            result += "\n"
        }
        if omitted > 0 {
            result += "note: \(omitted) more problems are not shown\n"
        }
        return result
    }

    /// The messages by location, a line each, without lines of the sources.
    package var summary: String {
        var lines = sorted.map(\.heading)
        if omitted > 0 { lines.append("note: \(omitted) more problems are not shown") }
        return lines.joined(separator: "\n")
    }
}

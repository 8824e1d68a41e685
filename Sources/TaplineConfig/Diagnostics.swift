// SPDX-License-Identifier: MIT

/// The problems of one phase, gathered so that all of them are reported in one run.
///
/// It is an error itself, so that a phase can throw what it has found.
///
/// **Limits** At most ``limit`` are kept, the rest is counted: a hostile file cannot make them grow.
public struct Diagnostics: Error {
    /// How many are kept.
    public static let limit = 200

    /// What was gathered, in the order it was found.
    public private(set) var all: [Diagnostic] = []
    /// How many were found after ``limit`` was reached.
    public private(set) var omitted = 0
    /// Whether any of them, kept or not, is an error.
    public private(set) var hasErrors = false

    /// Starts with none.
    public init() {}

    /// Whether there is none.
    public var isEmpty: Bool { all.isEmpty }

    /// Adds one; the same one at the same place is kept once, and the same note anywhere.
    public mutating func append(_ diagnostic: Diagnostic) {
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

    /// Adds all of another phase.
    public mutating func append(contentsOf other: Diagnostics) {
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

    /// What needs attention: all of them but the notes, which are advice.
    public var withoutNotes: Diagnostics {
        var result = self
        result.all.removeAll { $0.severity == .note }
        return result
    }

    /// Changes what they say; where they are and how many stays.
    mutating func mapTexts(_ change: (String) -> String) {
        for index in all.indices {
            all[index].message = change(all[index].message)
            all[index].help = all[index].help.map(change)
        }
    }

    /// All of them by place; those without one come first, equal places keep their order.
    ///
    /// Texts are ordered by name, after those without lines (arguments, code), which stand in the
    /// order they were met.
    public var sorted: [Diagnostic] {
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

    /// What is printed: all of them by place, each with its source line; ends with a newline
    /// unless there is none.
    public var rendered: String {
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
}

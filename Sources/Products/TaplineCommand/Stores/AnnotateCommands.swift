// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// `tapline note STORE ID|FILTER TEXT`.
enum NoteCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.changeExchanges { words throws(UsageError) in
            let isRemoval = invocation.has("remove")
            guard words.count == (isRemoval ? 0 : 1) else {
                throw UsageError(
                    message: isRemoval
                        ? "'--remove' excludes TEXT" : "'note' needs TEXT, or '--remove'",
                    help: "tapline \(Commands.note.usage)"
                )
            }
            let author = invocation.value("by") ?? ""
            let text = words.first ?? ""
            if text.isEmpty, !isRemoval {
                throw UsageError(message: "TEXT is empty", help: "'--remove' removes notes")
            }
            return Change(done: isRemoval ? "without notes" : "noted") { editor, keys, now in
                try isRemoval
                    ? editor.removeNotes(from: keys)
                    : editor.addNote(text, by: author, at: now, to: keys)
            }
        }
    }
}

/// `tapline mark STORE ID|FILTER MARK`.
enum MarkCommand {
    /// The word that removes marks.
    static let none = "none"
    static let words = StoreMark.allCases.map(\.rawValue) + [none]

    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.changeExchanges { words throws(UsageError) in
            let word = words.first ?? ""
            let mark = StoreMark(rawValue: word)
            guard mark != nil || word == none, words.count == 1 else {
                throw UsageError(
                    message: "unknown mark '\(word)'; expected "
                        + MarkCommand.words.joined(separator: ", "),
                    help: Suggestion.help(for: word, among: MarkCommand.words)
                )
            }
            return Change(done: mark == nil ? "without marks" : "marked") { editor, keys, now in
                try editor.mark(keys, as: mark, at: now)
            }
        }
    }
}

/// `tapline tag STORE ID|FILTER NAME=VALUE...`.
enum TagCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.changeExchanges { words throws(UsageError) in
            var tags: [(name: String, value: String?)] = []
            for word in words {
                let parts = word.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw UsageError(
                        message: "wrong tag '\(word)'; expected NAME=VALUE, or NAME= to remove it"
                    )
                }
                tags.append((String(parts[0]), parts[1].isEmpty ? nil : String(parts[1])))
            }
            return Change(done: "tagged") { [tags] editor, keys, _ in
                try editor.setTags(tags, of: keys)
            }
        }
    }
}

/// A change of the exchanges that a command line chooses.
struct Change {
    /// What the message says was done, after the number of exchanges.
    let done: String
    /// Changes the exchanges, and returns how many there were.
    let apply: (StoreEditor, [StoreKey], Timestamp) throws -> Int
}

extension Invocation {
    /// Changes exchanges of one database: `STORE ID|FILTER WORD...`.
    ///
    /// - Parameter makeChange: Makes the change from the further words.
    /// - Returns: The exit code.
    func changeExchanges(
        _ makeChange: ([String]) throws(UsageError) -> Change
    ) -> ExitCode {
        StoreSet.prepareProgram()
        return reportErrors {
            let change = try makeChange(Array(operands.dropFirst(2)))
            let editor = try StoreEditor(operands.first ?? "")
            let (keys, problems) = try chosenKeys(operands.dropFirst().first ?? "", editor)
            let now = Timestamp(microseconds: WallClock.microseconds)
            let count = try keys.isEmpty ? 0 : change.apply(editor, keys, now)
            console.note("\(Counted.text(count, "exchange")) \(change.done)")
            return problems > 0 ? .failure : .success
        }
    }

    /// Finds the exchanges that a text chooses: an id as for `show`, or a filter.
    ///
    /// The store is closed afterwards: SQLite removes the log only if the connection that is closed
    /// last can write.
    ///
    /// - Returns: The exchanges, and how many could not be read.
    private func chosenKeys(
        _ text: String,
        _ editor: StoreEditor
    ) throws -> (keys: [StoreKey], problems: Int) {
        let store = try editor.store { console.note("warning: \($0)") }
        let stores = StoreSet(store)
        if let choice = try? ShowArguments.Choice(text) {
            return ([try choice.key(in: stores)], store.problems)
        }
        let filter = try StoreArguments.filter(
            text,
            orElse: "'\(text)' is neither an id nor a filter",
            of: { stores },
            environment
        )
        var keys: [StoreKey] = []
        try store.forEach(StoreQuery(filter, order: .oldestFirst, parts: [])) {
            keys.append($0.key)
        }
        return (keys, store.problems)
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplineQuery
internal import TaplineStore

/// `tapline query STORE --save NAME FILTER`, `--filters` and `--forget NAME`.
enum SavedFilterCommand {
    /// The options that ask for it.
    private static let options = ["save", "filters", "forget"]

    /// Runs the command; `nil` if the command line asks for exchanges.
    static func run(_ invocation: Invocation) -> ExitCode? {
        guard let option = options.first(where: invocation.has) else { return nil }
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            let others = invocation.options.keys.filter { $0 != option && $0 != "no-pager" }
            if let other = others.min() {
                throw UsageError(message: "'--\(option)' excludes '--\(other)'")
            }
            switch option {
            case "save": try save(invocation)
            case "forget": try forget(invocation)
            default: try list(invocation)
            }
            return .success
        }
    }

    private static func save(_ invocation: Invocation) throws {
        guard invocation.operands.count == 2 else {
            throw UsageError(
                message: "'--save' needs one STORE and one FILTER",
                help: "tapline query STORE --save NAME FILTER"
            )
        }
        let (store, text) = (invocation.operands[0], invocation.operands[1])
        if SavedFilterTerms(text).isSingleTerm {
            throw UsageError(message: "'\(text)' is a saved filter already; expected a filter")
        }
        let parsed = try StoreArguments.filter(
            text,
            orElse: "filter",
            of: { try StoreSet([store]) },
            invocation.environment
        )
        // It has the text of the filters that it names, so that it does not depend on them.
        let filter = try SavedFilter(name: invocation.value("save") ?? "", text: parsed.text)
        let isReplaced = try StoreEditor(store).save(filter)
        invocation.console.note("filter '\(filter.name)' \(isReplaced ? "replaced" : "saved")")
    }

    private static func forget(_ invocation: Invocation) throws {
        guard invocation.operands.count == 1 else {
            throw UsageError(
                message: "'--forget' needs one STORE",
                help: "tapline query STORE --forget NAME"
            )
        }
        let name = invocation.value("forget") ?? ""
        guard try StoreEditor(invocation.operands[0]).forgetFilter(name) else {
            throw StoreArguments.unknownFilter(
                name,
                try StoreSet(invocation.operands).savedFilters()
            )
        }
        invocation.console.note("filter '\(name)' removed")
    }

    /// Prints the filters, one on a line, with their names before them.
    private static func list(_ invocation: Invocation) throws {
        let console = invocation.console
        let stores = try StoreSet(invocation.operands) { console.note("warning: \($0)") }
        let filters = try stores.savedFilters()
        let width = filters.map(\.name.count).max() ?? 0
        var text = TerminalText(isColoured: invocation.usesColours)
        for filter in filters {
            text.styled(.bold) { $0.show(Columns.pad(filter.name, to: width + 2)) }
            text.show(filter.text)
            text.newLine()
        }
        console.write(text.bytes)
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// The stores and the filter that a command asks: `STORE... [FILTER]`.
struct StoreArguments {
    /// How many names of saved filters a message has.
    private static let maxShownNames = 10

    /// The names of the stores.
    private(set) var names: [String]
    /// The condition; `nil` for all exchanges.
    private(set) var filter: Filter?
    /// Whether `--each-copy` is given.
    private let countsEachCopy: Bool

    init(_ invocation: Invocation) throws {
        names = invocation.operands
        countsEachCopy = invocation.has("each-copy")
        if names.count > 1, let last = names.last, !Self.isStore(last) {
            let stores = Array(names.dropLast())
            names = stores
            filter = try Self.filter(
                last,
                orElse: "there is no file '\(last)', and it is not a filter",
                of: { try StoreSet(stores) },
                invocation.environment
            )
        }
    }

    /// Parses a filter, in which `@NAME` stands for a saved one.
    ///
    /// - Parameters:
    ///   - text: The filter.
    ///   - message: What is wrong with a single word that is not a filter.
    ///   - stores: Opens the stores that have the saved filters; called only if the text has names.
    ///   - environment: The variables.
    /// - Returns: The filter, whose text has the saved filters in place of their names.
    /// - Throws: `UsageError` if the text is wrong, or `StoreError` if a store cannot be read.
    static func filter(
        _ text: String,
        orElse message: String,
        of stores: () throws -> StoreSet,
        _ environment: Environment
    ) throws -> Filter {
        let terms = SavedFilterTerms(text)
        guard !terms.terms.isEmpty else {
            let isWord = !text.utf8.contains(UInt8(ascii: " "))
            return try parse(text, environment, as: isWord ? message : "filter")
        }
        let filters = try stores().savedFilters()
        let expansion = try terms.expanded { term in
            guard let saved = filters.first(where: { $0.name == term.name }) else {
                throw unknownFilter(term.name, filters)
            }
            // Its own errors have a position in its own text.
            _ = try parse(saved.text, environment, as: "saved filter '\(term.name)'")
            return saved.text
        }
        return try parse(expansion.text, environment) { UsageError("filter", text, $0, expansion) }
    }

    /// The error for a name that no saved filter has.
    static func unknownFilter(_ name: String, _ filters: [SavedFilter]) -> UsageError {
        // Other names cannot be written, and could have control characters.
        let names = Set(filters.map(\.name).filter { $0.utf8.allSatisfy(SavedFilter.allows) })
        let shown = names.sorted().prefix(maxShownNames).map { "'\($0)'" }
        let rest = names.count - shown.count
        let known = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return UsageError(
            message: "there is no saved filter '\(name)'; "
                + (names.isEmpty ? "none is saved" : "expected \(known)"),
            help: Suggestion.help(for: name, among: names.sorted())
                ?? "'tapline query STORE --filters' lists them"
        )
    }

    /// Opens the stores; what cannot be read is reported as a warning.
    ///
    /// An exchange that several stores have counts once, unless the user asks for each copy.
    func open(_ console: Console) throws(StoreError) -> StoreSet {
        try StoreSet(
            names,
            countingOnce: countsEachCopy ? nil : ExchangeCopies(),
            comparesRecordings: true
        ) {
            console.note("warning: \($0)")
        }
    }

    /// Whether an operand names a store rather than a filter.
    private static func isStore(_ text: String) -> Bool {
        if text == "-" { return true }
        // A text that cannot be a path names no store.
        return ((try? StoreFiles.resolve(text)) ?? []).isEmpty == false
            || (try? FileSystem.status(of: text)) != nil
    }

    /// Parses a filter; the message of an error begins with `start`.
    static func parse(
        _ text: String,
        _ environment: Environment,
        as start: String = "filter"
    ) throws(UsageError) -> Filter {
        try parse(text, environment) { UsageError(start, text, $0) }
    }

    private static func parse(
        _ text: String,
        _ environment: Environment,
        orThrow usage: (FilterError) -> UsageError
    ) throws(UsageError) -> Filter {
        do throws(FilterError) {
            return try Filter(
                text,
                environment: environment.variables,
                now: Timestamp(microseconds: WallClock.microseconds),
                inStore: true
            )
        } catch {
            throw usage(error)
        }
    }
}

extension UsageError {
    /// An error in a text of the filter language, with its column.
    ///
    /// - Parameters:
    ///   - start: The start of the message.
    ///   - text: The text as it was written.
    ///   - error: The error.
    ///   - expansion: The text with saved filters in place of their names, if the error is in it.
    init(
        _ start: String,
        _ text: String,
        _ error: FilterError,
        _ expansion: SavedFilterTerms.Expansion? = nil
    ) {
        let offset = expansion?.origin(of: error.offset) ?? error.offset
        let column = text.utf8.prefix(offset).filter { $0 & 0xC0 != 0x80 }.count + 1
        self.init(message: "\(start): \(error.message) (column \(column))", help: error.help)
    }
}

extension Invocation {
    /// Asks stores, and reports errors; the exit code is 1 if something could not be read.
    func askStores(_ ask: () throws -> StoreSet) -> ExitCode {
        StoreSet.prepareProgram()
        return reportErrors { try ask().problems > 0 ? .failure : .success }
    }
}

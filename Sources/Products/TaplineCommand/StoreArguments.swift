// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// The stores and the filter that a command asks: `STORE... [FILTER]`.
struct StoreArguments {
    /// The names of the stores.
    private(set) var names: [String]
    /// The condition; `nil` for all exchanges.
    private(set) var filter: Filter?

    init(_ invocation: Invocation) throws(UsageError) {
        names = invocation.operands
        if names.count > 1, let last = names.last, !Self.isStore(last) {
            names.removeLast()
            filter = try Self.filter(last, invocation.environment)
        }
    }

    /// Opens the stores; what cannot be read is reported as a warning.
    func open(_ console: Console) throws(StoreError) -> StoreSet {
        try StoreSet(names) { console.note("warning: \($0)") }
    }

    /// Whether an operand names a store rather than a filter.
    private static func isStore(_ text: String) -> Bool {
        if text == "-" { return true }
        // A text that cannot be a path names no store.
        return ((try? StoreFiles.resolve(text)) ?? []).isEmpty == false
            || (try? FileSystem.status(of: text)) != nil
    }

    private static func filter(
        _ text: String,
        _ environment: Environment
    ) throws(UsageError) -> Filter {
        do throws(FilterError) {
            return try Filter(
                text,
                environment: environment.variables,
                now: Timestamp(microseconds: WallClock.microseconds),
                inStore: true
            )
        } catch {
            let isWord = !text.utf8.contains(UInt8(ascii: " "))
            let start = isWord ? "there is no file '\(text)', and it is not a filter" : "filter"
            throw UsageError(start, text, error)
        }
    }
}

extension UsageError {
    /// An error in a text of the filter language, with its column.
    init(_ start: String, _ text: String, _ error: FilterError) {
        let column = text.utf8.prefix(error.offset).filter { $0 & 0xC0 != 0x80 }.count + 1
        self.init(message: "\(start): \(error.message) (column \(column))", help: error.help)
    }
}

extension Invocation {
    /// Asks stores, and reports errors; the exit code is 1 if something could not be read.
    func askStores(_ ask: () throws -> StoreSet) -> ExitCode {
        StoreSet.prepareProgram()
        return reportErrors { try ask().problems > 0 ? .failure : .success }
    }

    /// Runs a command, and reports its error.
    ///
    /// - Parameters:
    ///   - failure: The exit code of errors other than a wrong command line.
    ///   - body: The command.
    /// - Returns: The exit code.
    func reportErrors(
        as failure: ExitCode = .failure,
        _ body: () throws -> ExitCode
    ) -> ExitCode {
        do {
            return try body()
        } catch {
            return report(error, as: failure)
        }
    }

    /// Reports an error, and returns the exit code.
    func report(_ error: any Error, as failure: ExitCode = .failure) -> ExitCode {
        guard let usage = error as? UsageError else {
            console.note("tapline: error: \(error)")
            return failure
        }
        console.note("tapline: error: \(usage.message)")
        if let help = usage.help { console.note("help: \(help)") }
        return .usage
    }

    /// The value of an option as a number that is not negative; `nil` if it is not given.
    func number(_ option: String) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw UsageError(
                message: "wrong value of '--\(option)'; found '\(text)', expected a number"
            )
        }
        return number
    }
}

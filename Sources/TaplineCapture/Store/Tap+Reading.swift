// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

extension Tap {
    /// What is captured from now on, as it happens; up to 1,024 events wait for a slow reader.
    public var exchanges: ExchangeEvents { exchanges(buffering: 1024) }

    /// What is captured from now on, as it happens.
    ///
    /// - Parameter limit: How many events wait for a slow reader, at least one.
    /// - Returns: The events, for one reader.
    public func exchanges(buffering limit: Int) -> ExchangeEvents {
        store.feed.events(buffering: limit)
    }

    /// The entries that have ended and for which a filter holds, newest first.
    ///
    /// - Parameter filter: As in `when:`, such as `status >= 500 and host like "*.shop.test"`.
    /// - Returns: The entries.
    /// - Throws: `EntryFilterError` says what is wrong with the filter, and where.
    public func entries(where filter: String) throws -> [Entry] {
        let checked = try Tap.filter(filter)
        return entries.filter { entry in entry.exchange.map { checked.matches($0) } ?? false }
    }

    /// What was captured in this run, summed up for each host and kind of path; also what the store
    /// no longer holds.
    public func summary() -> TrafficSummary { TrafficSummary(store.traffic.summary) }

    private static func filter(_ text: String) throws -> Filter {
        do throws(FilterError) {
            return try Filter(text, environment: ProcessEnvironment.variables)
        } catch {
            let source = ConfigSource(name: "filter", text: text, folder: "")
            let place = source.location(at: error.offset, length: error.length)
            let problem = Diagnostic(.error, at: place, error.message, help: error.help)
            throw EntryFilterError(description: problem.rendered)
        }
    }
}

/// Why a text is no filter.
public struct EntryFilterError: Error, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public let description: String
}

// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStatistics
internal import TaplineSystem

extension Tap {
    /// The exchanges from now on, as they happen; up to 1,024 events wait for a slow reader.
    public var exchanges: ExchangeEvents { exchanges(buffering: 1024) }

    /// Returns the exchanges from now on, as they happen.
    ///
    /// - Parameter limit: How many events wait for a slow reader, at least one.
    /// - Returns: The events, for one reader.
    public func exchanges(buffering limit: Int) -> ExchangeEvents {
        store.feed.events(buffering: limit)
    }

    /// Returns the ended entries that match a filter, newest first.
    ///
    /// - Parameter filter: As in `when:`, such as `status >= 500 and host like "*.shop.test"`.
    /// - Returns: The entries.
    /// - Throws: `EntryFilterError` with the mistake in the filter and its place.
    public func entries(where filter: String) throws -> [Entry] {
        let checked = try Tap.filter(filter)
        return entries.filter { entry in entry.exchange.map { checked.matches($0) } ?? false }
    }

    /// Summarizes the exchanges of this run for each host and path pattern, including those that
    /// the store no longer holds.
    public func summary() -> TrafficSummary { TrafficSummary(store.traffic.summary) }

    private static func filter(_ text: String) throws -> Filter {
        do throws(FilterError) {
            return try Filter(
                text,
                environment: ProcessEnvironment.variables,
                now: Timestamp(microseconds: WallClock.microseconds)
            )
        } catch {
            let source = ConfigSource(name: "filter", text: text, folder: "")
            let place = source.location(at: error.offset, length: error.length)
            let problem = Diagnostic(.error, at: place, error.message, help: error.help)
            throw EntryFilterError(description: problem.rendered)
        }
    }
}

/// The reason why a text is not a valid filter.
public struct EntryFilterError: Error, CustomStringConvertible {
    /// The mistake, its place, and what to do about it.
    public let description: String
}

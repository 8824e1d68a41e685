// SPDX-License-Identifier: MIT

public import Foundation

/// Capture for the whole app, left out.
public enum Tapline {
    /// None.
    public static var tap: Tap? { nil }
    /// Never.
    public static var isRunning: Bool { false }
    /// None.
    public static var entries: [Entry] { [] }

    /// Does nothing.
    public static func start() throws {}
    /// Does nothing.
    public static func start(configuration: URL) throws {}
    /// Does nothing.
    public static func start(configuration: URL, plugins: some Sendable) throws {}
    /// Does nothing; the components are not made.
    public static func start(@ComponentBuilder components: () -> [Component]) throws {}
    /// Does nothing; the tap is not made.
    public static func start(_ tap: @autoclosure () -> Tap) throws {}
    /// Does nothing.
    public static func stop() {}
    /// Does nothing.
    public static func clear() {}
    /// There is nothing to write.
    @discardableResult
    public static func flush(for limit: Duration = .zero) -> Bool { true }
}

/// A pipeline within an app, left out: it starts, captures nothing and stops.
public final class Tap: Sendable {
    /// Empty.
    public let store: MemoryStore

    private init(_ limits: MemoryStore.Limits) { store = MemoryStore(limits) }

    /// A tap that captures nothing; the components are not made.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 0,
        capturesShared: Bool = false,
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        self.init(limits)
    }

    /// A tap that captures nothing; the components are not made.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 0,
        capturesShared: Bool = false,
        plugins: some Sendable,
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        self.init(limits)
    }

    /// A tap that captures nothing; the file is not read.
    public convenience init(
        configuration: URL,
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        self.init(limits)
    }

    /// A tap that captures nothing; the file is not read.
    public convenience init(
        configuration: URL,
        plugins: some Sendable,
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        self.init(limits)
    }

    /// Never.
    public var isRunning: Bool { false }
    /// None.
    public var entries: [Entry] { [] }
    /// None; the filter is not read.
    public func entries(where filter: String) throws -> [Entry] { [] }
    /// None.
    public func entries(correlation id: String) -> [Entry] { [] }
    /// Nothing happens.
    public var exchanges: ExchangeEvents { ExchangeEvents() }
    /// Nothing happens.
    public func exchanges(buffering limit: Int) -> ExchangeEvents { ExchangeEvents() }
    /// Empty.
    public func summary() -> TrafficSummary { TrafficSummary() }

    /// Does nothing.
    public func start() throws {}
    /// Does nothing.
    public func stop() {}
    /// Does nothing.
    public func clear() {}
    /// There is nothing to write.
    @discardableResult
    public func flush(for limit: Duration = .zero) -> Bool { true }
}

/// Where a tap would log.
public struct Log: Sendable {
    /// Who would speak.
    public let component: String

    /// A log that is never written.
    public init(component: String, write: @escaping @Sendable (LogEntry) -> Void) {
        self.component = component
    }

    /// Nowhere.
    public static let none = Log(component: "") { _ in }
    /// Nowhere.
    public static let standardError = Log(component: "") { _ in }

    /// The same.
    public func of(_ component: String) -> Log { Log(component: component) { _ in } }
    /// Nothing is written.
    public func callAsFunction(_ level: LogEntry.Level, _ message: @autoclosure () -> String) {}
    /// Nothing is written.
    public func debug(_ message: @autoclosure () -> String) {}
    /// Nothing is written.
    public func info(_ message: @autoclosure () -> String) {}
    /// Nothing is written.
    public func warning(_ message: @autoclosure () -> String) {}
    /// Nothing is written.
    public func error(_ message: @autoclosure () -> String) {}
}

/// One line of the log: there is none.
public struct LogEntry: Sendable, Equatable {
    /// How grave an entry is.
    public enum Level: UInt8, Sendable, Comparable {
        /// For those who look for a fault.
        case debug
        /// What is worth knowing.
        case info
        /// What may need attention.
        case warning
        /// What went wrong.
        case error

        /// Whether one is less grave than the other.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
        /// The word in the log.
        public var name: String { "" }
    }

    init() {}

    /// Nothing has one.
    public var level: Level { .debug }
    /// Nothing has one.
    public var component: String { "" }
    /// Nothing has one.
    public var message: String { "" }
}

/// Why a tap does not start: never.
public enum TapError: Error, CustomStringConvertible {
    /// Never.
    case configuration(String)
    /// Never.
    case notStarted([String])

    /// Nothing.
    public var description: String { "" }
}

/// Why a text is no filter: never.
public enum EntryFilterError: Error, CustomStringConvertible {
    /// Nothing.
    public var description: String { "" }
}

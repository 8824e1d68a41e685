// SPDX-License-Identifier: MIT

public import Foundation

/// Capture for the whole app, without effect.
public enum Tapline {
    /// Always `nil`.
    public static var tap: Tap? { nil }
    /// Always `false`.
    public static var isRunning: Bool { false }
    /// Always empty.
    public static var entries: [Entry] { [] }
    /// Always empty.
    public static var metrics: TapMetrics { TapMetrics() }

    /// Does nothing, and returns `false`.
    @discardableResult
    public static func start() throws -> Bool { false }
    /// Does nothing, and returns `false`.
    @discardableResult
    public static func start(configuration: URL) throws -> Bool { false }
    /// Does nothing, and returns `false`.
    @discardableResult
    public static func start(configuration: URL, plugins: some PluginCollection) throws -> Bool {
        false
    }
    /// Does nothing, and returns `false`; the components are not built.
    @discardableResult
    public static func start(
        @ComponentBuilder components: () -> [Component]
    ) throws -> Bool { false }
    /// Does nothing, and returns `false`; the components are not built.
    @discardableResult
    public static func start(
        plugins: some PluginCollection,
        @ComponentBuilder components: () -> [Component]
    ) throws -> Bool { false }
    /// Does nothing, and returns `false`; the tap is not created.
    @discardableResult
    public static func start(_ tap: @autoclosure () -> Tap) throws -> Bool { false }
    /// Does nothing, and returns `nil`.
    @discardableResult
    public static func reload() async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the file is not read.
    @discardableResult
    public static func reload(configuration: URL) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the file is not read.
    @discardableResult
    public static func reload(
        configuration: URL,
        plugins: some PluginCollection
    ) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the components are not built.
    @discardableResult
    public static func reload(
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the components are not built.
    @discardableResult
    public static func reload(
        plugins: some PluginCollection,
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? { nil }
    /// Does nothing.
    public static func stop() {}
    /// Does nothing.
    public static func clear() {}
    /// Returns at once, because there is nothing to write.
    @discardableResult
    public static func flush(for limit: Duration = .zero) -> Bool { true }
    /// Returns at once, because there is nothing to write.
    @discardableResult
    public static func flush(for limit: Duration = .zero) async -> Bool { true }
}

/// A pipeline within an app, without effect: it starts, captures nothing and stops.
public final class Tap: Sendable {
    /// An empty store.
    public let store: MemoryStore

    private init(_ limits: MemoryStore.Limits) { store = MemoryStore(limits) }

    /// Creates a tap without effect; the components are not built.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 0,
        capturesShared: Bool = false,
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        self.init(limits)
    }

    /// Creates a tap without effect; the components are not built.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 0,
        capturesShared: Bool = false,
        plugins: some PluginCollection,
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        self.init(limits)
    }

    /// Creates a tap without effect; the file is not read.
    public convenience init(
        configuration: URL,
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        self.init(limits)
    }

    /// Creates a tap without effect; the file is not read.
    public convenience init(
        configuration: URL,
        plugins: some PluginCollection,
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        self.init(limits)
    }

    /// Always `false`.
    public var isRunning: Bool { false }
    /// Always empty.
    public var entries: [Entry] { [] }
    /// Always empty; the filter is not read.
    public func entries(where filter: String) throws -> [Entry] { [] }
    /// Always empty.
    public func entries(correlation id: String) -> [Entry] { [] }
    /// Always empty.
    public var exchanges: ExchangeEvents { ExchangeEvents() }
    /// Always empty.
    public func exchanges(buffering limit: Int) -> ExchangeEvents { ExchangeEvents() }
    /// Always empty.
    public func summary() -> TrafficSummary { TrafficSummary() }
    /// Always empty.
    public var metrics: TapMetrics { TapMetrics() }

    /// Does nothing.
    public func start() throws {}
    /// Does nothing, and returns `nil`.
    @discardableResult
    public func reload() async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the file is not read.
    @discardableResult
    public func reload(configuration: URL) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the file is not read.
    @discardableResult
    public func reload(
        configuration: URL,
        plugins: some PluginCollection
    ) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the components are not built.
    @discardableResult
    public func reload(
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? { nil }
    /// Does nothing, and returns `nil`; the components are not built.
    @discardableResult
    public func reload(
        plugins: some PluginCollection,
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? { nil }
    /// Does nothing.
    public func stop() {}
    /// Does nothing.
    public func clear() {}
    /// Returns at once, because there is nothing to write.
    @discardableResult
    public func flush(for limit: Duration = .zero) -> Bool { true }
    /// Returns at once, because there is nothing to write.
    @discardableResult
    public func flush(for limit: Duration = .zero) async -> Bool { true }
}

/// What a reload has changed; never created.
public struct TapReload: Sendable, Equatable {
    private init() {}

    /// Always 0.
    public var generation: Int { 0 }
    /// Always empty.
    public var changed: [String] { [] }
}

/// The log of a tap; nothing is written to it.
public struct Log: Sendable {
    /// The component that logs.
    public let component: String

    /// Creates a log that is never written to.
    public init(component: String, write: @escaping @Sendable (LogEntry) -> Void) {
        self.component = component
    }

    /// A log that discards everything.
    public static let none = Log(component: "") { _ in }
    /// A log that discards everything.
    public static let standardError = Log(component: "") { _ in }

    /// Returns a log that discards everything.
    public func of(_ component: String) -> Log { Log(component: component) { _ in } }
    /// Discards the message.
    public func callAsFunction(_ level: LogEntry.Level, _ message: @autoclosure () -> String) {}
    /// Discards the message.
    public func debug(_ message: @autoclosure () -> String) {}
    /// Discards the message.
    public func info(_ message: @autoclosure () -> String) {}
    /// Discards the message.
    public func warning(_ message: @autoclosure () -> String) {}
    /// Discards the message.
    public func error(_ message: @autoclosure () -> String) {}
}

/// One line of the log; never created.
public struct LogEntry: Sendable, Equatable {
    /// The severity of an entry.
    public enum Level: UInt8, Sendable, Comparable {
        /// Details for debugging.
        case debug
        /// Information.
        case info
        /// A condition that may need attention.
        case warning
        /// A failure.
        case error

        /// Whether one level is less severe than the other.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
        /// Always empty.
        public var name: String { "" }
    }

    init() {}

    /// Always `debug`.
    public var level: Level { .debug }
    /// Always empty.
    public var component: String { "" }
    /// Always empty.
    public var message: String { "" }
}

/// The reason why a tap does not start; never thrown.
public enum TapError: Error, CustomStringConvertible {
    /// Never occurs.
    case configuration(String)
    /// Never occurs.
    case notStarted([String])
    /// Never occurs.
    case tooManyTaps(Int)
    /// Never occurs.
    case notReloaded(String)

    /// Always empty.
    public var description: String { "" }
}

/// The reason why a text is not a valid filter; never thrown.
public enum EntryFilterError: Error, CustomStringConvertible {
    /// Always empty.
    public var description: String { "" }
}

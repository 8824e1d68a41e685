// SPDX-License-Identifier: MIT

/// One line of the log.
public struct LogEntry: Sendable, Equatable {
    /// The severity of an entry.
    public enum Level: UInt8, Sendable, Comparable {
        /// Details for troubleshooting.
        case debug
        /// Normal events that are worth knowing.
        case info
        /// Problems that may need attention.
        case warning
        /// Errors.
        case error

        /// Returns whether one level is less severe than the other.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The name in the log.
        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// The severity of the entry.
    public let level: Level
    /// The id of the component that logs; empty for the runtime itself.
    public let component: String
    /// The text of the entry.
    ///
    /// Never holds field values, bodies, query strings or script values.
    public let message: String

    /// Creates an entry.
    public init(level: Level, component: String, message: String) {
        self.level = level
        self.component = component
        self.message = message
    }
}

/// The log of a component.
///
/// It may be called from any thread.
public struct Log: Sendable {
    /// The id of the component that logs.
    public let component: String
    private let write: @Sendable (LogEntry) -> Void

    /// Creates the log of one component.
    public init(component: String, write: @escaping @Sendable (LogEntry) -> Void) {
        self.component = component
        self.write = write
    }

    /// A log that discards all entries.
    public static let none = Log(component: "") { _ in }

    /// Returns the same log for another component.
    public func of(_ component: String) -> Log { Log(component: component, write: write) }

    /// Writes an entry.
    public func callAsFunction(_ level: LogEntry.Level, _ message: @autoclosure () -> String) {
        write(LogEntry(level: level, component: component, message: message()))
    }

    /// Logs details for troubleshooting.
    public func debug(_ message: @autoclosure () -> String) { self(.debug, message()) }
    /// Logs a normal event that is worth knowing.
    public func info(_ message: @autoclosure () -> String) { self(.info, message()) }
    /// Logs a problem that may need attention.
    public func warning(_ message: @autoclosure () -> String) { self(.warning, message()) }
    /// Logs an error.
    public func error(_ message: @autoclosure () -> String) { self(.error, message()) }
}

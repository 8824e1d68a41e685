// SPDX-License-Identifier: MIT

/// One line of the log.
public struct LogEntry: Sendable, Equatable {
    /// How grave an entry is.
    public enum Level: UInt8, Sendable, Comparable {
        /// For those who look for a fault.
        case debug
        /// What goes as planned and is worth knowing.
        case info
        /// What may need somebody's attention.
        case warning
        /// What went wrong.
        case error

        /// Whether one is less grave than the other.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The word in the log.
        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// How grave it is.
    public let level: Level
    /// The id of the component that speaks; empty for the runtime itself.
    public let component: String
    /// What it says.
    ///
    /// Never holds field values, bodies, query strings or script values.
    public let message: String

    /// An entry of these parts.
    public init(level: Level, component: String, message: String) {
        self.level = level
        self.component = component
        self.message = message
    }
}

/// Where a component logs.
///
/// Any thread may call it.
public struct Log: Sendable {
    /// The id of the component that speaks.
    public let component: String
    private let write: @Sendable (LogEntry) -> Void

    /// A log of one component.
    public init(component: String, write: @escaping @Sendable (LogEntry) -> Void) {
        self.component = component
        self.write = write
    }

    /// A log that nobody reads.
    public static let none = Log(component: "") { _ in }

    /// The same log for another component.
    public func of(_ component: String) -> Log { Log(component: component, write: write) }

    /// Writes an entry.
    public func callAsFunction(_ level: LogEntry.Level, _ message: @autoclosure () -> String) {
        write(LogEntry(level: level, component: component, message: message()))
    }

    /// What may help those who look for a fault.
    public func debug(_ message: @autoclosure () -> String) { self(.debug, message()) }
    /// What goes as planned and is worth knowing.
    public func info(_ message: @autoclosure () -> String) { self(.info, message()) }
    /// What may need somebody's attention.
    public func warning(_ message: @autoclosure () -> String) { self(.warning, message()) }
    /// What went wrong.
    public func error(_ message: @autoclosure () -> String) { self(.error, message()) }
}

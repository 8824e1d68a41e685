// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Whether this is a terminal (isatty(3)).
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The current number of columns; `nil` if this is not a terminal or the number is unknown.
    package var terminalWidth: Int? { terminalSize.flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// The current number of rows; `nil` if this is not a terminal or the number is unknown.
    package var terminalHeight: Int? { terminalSize.flatMap { $0.rows > 0 ? $0.rows : nil } }

    private var terminalSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// The system's time zone.
package enum LocalTime {
    /// How many seconds local time is ahead of UTC at a moment (localtime_r(3)).
    ///
    /// - Parameter seconds: The moment, in seconds since 1970.
    /// - Returns: The seconds; 0 if the system cannot determine them.
    package static func offset(at seconds: Int64) -> Int {
        var moment = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&moment, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }
}

// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Whether the wall clock follows a time server.
package enum ClockSynchronisation {
    /// The value of adjtimex(2) for a clock that is not synchronised, `TIME_ERROR`.
    private static let unsynchronised: Int32 = 5

    /// The file that systemd-timesyncd(8) creates after it has set the clock.
    private static let marker = "/run/systemd/timesync/synchronized"

    /// Whether the clock is synchronised; `nil` if the system does not tell.
    package static var isSynchronised: Bool? {
        if (try? FileSystem.status(of: marker)) != nil { return true }
        return kernelState.map { $0 >= 0 && $0 != unsynchronised }
    }

    /// The state of the clock that adjtimex(2) returns; `nil` if there is no such call.
    ///
    /// The function is looked up by name, since Swift's Glibc module lacks it. A structure of zeros
    /// only asks; 1024 bytes are more than it has on any system.
    private static var kernelState: Int32? {
        typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let symbol = unsafe dlsym(nil, "adjtimex") else { return nil }
        let call = unsafe unsafeBitCast(symbol, to: Call.self)
        var buffer = [UInt64](repeating: 0, count: 128)
        let state = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return Int32(-1) }
            return unsafe call(start)
        }
        return state < 0 ? nil : state
    }
}

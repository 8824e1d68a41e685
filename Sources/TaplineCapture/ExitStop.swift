// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineJSON

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Stops the taps that still run when the program comes to its end, so that nothing is lost that
/// they have captured.
///
/// The end is a return from `main` or a call of `exit`; nobody can do anything when a signal ends
/// the program, or `_exit`.
enum ExitStop {
    /// The longest that the program's end waits.
    private static let patience = DispatchTimeInterval.seconds(15)
    private static let running = Mutex<[ObjectIdentifier: Tap]>([:])
    private static let isRegistered: Bool = {
        // What C++ has first used after this line it destroys before it asks us, and simdjson is
        // needed to write what is left.
        var parser = JSONParser()
        _ = try? parser.parse("0".utf8.span)
        return atexit { ExitStop.stopAll() } == 0
    }()

    /// A tap has begun to run.
    static func register(_ tap: Tap) {
        _ = isRegistered
        running.withLock { $0[ObjectIdentifier(tap)] = tap }
    }

    /// A tap has stopped.
    static func forget(_ tap: Tap) {
        _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(tap)) }
    }

    private static func stopAll() {
        let taps = running.withLock { Array($0.values) }
        let group = DispatchGroup()
        for tap in taps {
            // Elsewhere, since the thread that ends the program may be one that a tap waits for.
            DispatchQueue(label: "tapline.exit").async(group: group) { tap.stop() }
        }
        _ = group.wait(timeout: .now() + patience)
    }
}

// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineJSON

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Stops the running taps when the program ends, so that no captured exchange is lost.
///
/// This covers a return from `main` and a call of `exit`, but not a signal or `_exit`.
enum AtExitFlush {
    /// The longest time that the end of the program is delayed.
    private static let patience = DispatchTimeInterval.seconds(15)
    private static let running = Mutex<[ObjectIdentifier: Tap]>([:])
    private static let isRegistered: Bool = {
        // C++ destroys objects that are first used after this line before it calls the exit
        // handler, and simdjson is needed to write the pending exchanges.
        var parser = JSONParser()
        _ = try? parser.parse("0".utf8.span)
        return atexit { AtExitFlush.stopAll() } == 0
    }()

    /// Registers a tap that has started.
    static func register(_ tap: Tap) {
        _ = isRegistered
        running.withLock { $0[ObjectIdentifier(tap)] = tap }
    }

    /// Removes a tap that has stopped.
    static func forget(_ tap: Tap) {
        _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(tap)) }
    }

    private static func stopAll() {
        let taps = running.withLock { Array($0.values) }
        let group = DispatchGroup()
        for tap in taps {
            // On another thread, because a tap may wait for the thread that ends the program.
            DispatchQueue(label: "tapline.exit").async(group: group) { tap.stop() }
        }
        _ = group.wait(timeout: .now() + patience)
    }
}

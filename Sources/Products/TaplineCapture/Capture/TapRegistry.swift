// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The running taps, by the number that their protocol classes carry.
enum TapRegistry {
    /// The number of the current tap of the whole app.
    static let app = 0
    /// The number under which `URLSession.shared` is captured, by whichever tap does so.
    static let shared = -1

    /// Whether Foundation has registered the class for `URLSession.shared`.
    ///
    /// That session asks only the classes that were registered before its first use, and then asks
    /// them forever. Therefore all taps share one class, which the first tap registers.
    static let isRegistered = URLProtocol.registerClass(SharedProtocol.self)

    /// Whether `URLSession.shared` asks the class.
    static var seesSharedSession: Bool {
        guard isRegistered, let classes = URLSession.shared.configuration.protocolClasses else {
            return false
        }
        return classes.contains { $0 == SharedProtocol.self }
    }

    private struct State {
        var count = 0
        /// The last port receives the exchanges; when it is shut, the one before it takes over.
        var ports: [Int: [Opened]] = [:]
        /// Taps whose sessions do not name them; these sessions fall back to the app's tap when the
        /// tap ends.
        var lent: Set<Int> = []
    }

    private struct Opened {
        let port: CaptureIntake
        /// Whether the port takes precedence over those that are opened later.
        let isFirst: Bool
    }

    private static let state = Mutex(State())

    /// Returns a number that is unique in the process.
    static func makeNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// Directs the exchanges of a tap to a port, which may take precedence over ports opened later.
    static func open(_ number: Int, _ port: CaptureIntake, isFirst: Bool = false) {
        state.withLock { state in
            let others = state.ports[number] ?? []
            let end = isFirst ? nil : others.firstIndex(where: \.isFirst)
            state.ports[number, default: []]
                .insert(Opened(port: port, isFirst: isFirst), at: end ?? others.endIndex)
        }
    }

    /// Stops directing exchanges to a port.
    static func shut(_ port: CaptureIntake) {
        state.withLock { state in
            for number in state.ports.keys { state.ports[number]?.removeAll { $0.port === port } }
        }
    }

    /// Directs sessions that name no tap to this tap while it runs, and to the app's tap
    /// afterwards.
    static func lend(_ number: Int) { state.withLock { _ = $0.lent.insert(number) } }

    /// Returns the port that receives the exchanges of a tap; `nil` while the tap does not run.
    static func port(of number: Int) -> CaptureIntake? {
        state.withLock { state in
            if let opened = state.ports[number]?.last { return opened.port }
            return state.lent.contains(number) ? state.ports[app]?.last?.port : nil
        }
    }
}

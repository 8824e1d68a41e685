// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The taps that run, by the number that their classes know.
enum Captures {
    /// The number of the tap of the whole app, whichever it is.
    static let app = 0
    /// The number under which `URLSession.shared` is captured, whichever tap it is that does.
    static let shared = -1

    /// Whether Foundation knows the class for `URLSession.shared`.
    ///
    /// That session asks only for classes that were registered before its first use, and then for
    /// ever: so it is one class for all taps, registered with the first of them and never again.
    static let isRegistered = URLProtocol.registerClass(SharedProtocol.self)

    /// Whether `URLSession.shared` asks for the class.
    static var seesSharedSession: Bool {
        guard isRegistered, let classes = URLSession.shared.configuration.protocolClasses else {
            return false
        }
        return classes.contains { $0 == SharedProtocol.self }
    }

    private struct State {
        var count = 0
        /// The last one counts; those before it go on when it is shut.
        var ports: [Int: [Opened]] = [:]
        /// Taps whose sessions have not named them, so that they are the app's when these are over.
        var lent: Set<Int> = []
    }

    private struct Opened {
        let port: CapturePort
        /// Whether it counts ahead of those that are opened later.
        let isFirst: Bool
    }

    private static let state = Mutex(State())

    /// A number that no other tap of the process has, or had.
    static func makeNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// From now on the exchanges of that tap go there; where it is to be first, though others are
    /// opened later.
    static func open(_ number: Int, _ port: CapturePort, isFirst: Bool = false) {
        state.withLock { state in
            let others = state.ports[number] ?? []
            let end = isFirst ? nil : others.firstIndex(where: \.isFirst)
            state.ports[number, default: []]
                .insert(Opened(port: port, isFirst: isFirst), at: end ?? others.endIndex)
        }
    }

    /// From now on nothing goes to that port.
    static func shut(_ port: CapturePort) {
        state.withLock { state in
            for number in state.ports.keys { state.ports[number]?.removeAll { $0.port === port } }
        }
    }

    /// Sessions that name no tap are that tap's while it runs, and then the app's.
    static func lend(_ number: Int) { state.withLock { _ = $0.lent.insert(number) } }

    /// Where the exchanges of a tap go; nothing while it does not run.
    static func port(of number: Int) -> CapturePort? {
        state.withLock { state in
            if let opened = state.ports[number]?.last { return opened.port }
            return state.lent.contains(number) ? state.ports[app]?.last?.port : nil
        }
    }
}

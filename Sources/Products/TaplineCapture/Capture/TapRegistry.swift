// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The taps that a protocol class of Tapline may belong to.
enum TapSlot: Hashable {
    /// The current tap of the whole app.
    case app
    /// Whichever tap captures `URLSession.shared`.
    case shared
    /// The tap that has one of the classes of its own.
    case numbered(Int)
    /// None: a tap without a class of its own, whose sessions are not captured.
    case none
}

/// The running taps, by the protocol classes that belong to them.
enum TapRegistry {
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
        /// The classes that no tap has, the one that was released first in front.
        var free = ArraySlice(TapProtocols.all.indices)
        /// Those whose sessions fall back to the app's tap; they are reused last.
        var freeEverCurrent: ArraySlice<Int> = []
        /// The last intake receives the exchanges; when it is shut, the one before it takes over.
        var intakes: [TapSlot: [RegisteredIntake]] = [:]
        /// Taps whose sessions do not name them; these sessions fall back to the app's tap when the
        /// tap ends.
        var everCurrent: Set<TapSlot> = []
    }

    private struct RegisteredIntake {
        let intake: CaptureIntake
        /// Whether the intake takes precedence over those that are opened later.
        let isFirst: Bool
    }

    private static let state = Mutex(State())

    /// Takes a class for a tap until `release`; `none` if all are taken.
    static func acquire() -> TapSlot {
        state.withLock { state in
            guard let number = state.free.popFirst() ?? state.freeEverCurrent.popFirst() else {
                return .none
            }
            // Sessions of the class's former tap are not those of the next one.
            state.everCurrent.remove(.numbered(number))
            return .numbered(number)
        }
    }

    /// Returns the class of a tap that no longer exists.
    static func release(_ slot: TapSlot) {
        guard case .numbered(let number) = slot else { return }
        state.withLock { state in
            if state.everCurrent.contains(slot) {
                state.freeEverCurrent.append(number)
            } else {
                state.free.append(number)
            }
        }
    }

    /// Directs the exchanges of a tap to an intake, which may take precedence over intakes opened
    /// later.
    static func open(_ slot: TapSlot, _ intake: CaptureIntake, isFirst: Bool = false) {
        state.withLock { state in
            let others = state.intakes[slot] ?? []
            let end = isFirst ? nil : others.firstIndex(where: \.isFirst)
            state.intakes[slot, default: []]
                .insert(
                    RegisteredIntake(intake: intake, isFirst: isFirst),
                    at: end ?? others.endIndex
                )
        }
    }

    /// Stops directing exchanges to an intake.
    static func shut(_ intake: CaptureIntake) {
        state.withLock { state in
            for slot in state.intakes.keys {
                state.intakes[slot]?.removeAll { $0.intake === intake }
            }
        }
    }

    /// Directs sessions that name no tap to this tap while it runs, and to the app's tap
    /// afterwards.
    static func noteCurrent(_ slot: TapSlot) {
        guard case .numbered = slot else { return }
        state.withLock { _ = $0.everCurrent.insert(slot) }
    }

    /// Returns the intake that receives the exchanges of a tap; `nil` while the tap does not run.
    static func intake(of slot: TapSlot) -> CaptureIntake? {
        state.withLock { state in
            if let opened = state.intakes[slot]?.last { return opened.intake }
            return state.everCurrent.contains(slot) ? state.intakes[.app]?.last?.intake : nil
        }
    }
}

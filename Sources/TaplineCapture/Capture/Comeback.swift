// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The way back to the queue on which Foundation loads, on which alone its client may be called.
///
/// A task that is suspended and resumed gets `startLoading` called there.
final class Comeback: Sendable {
    private static let queue = DispatchQueue(label: "tapline.comeback", attributes: .concurrent)
    private let due = Atomic(false)
    private let returning = Atomic(false)

    /// Whether the way back was asked for and the time has come.
    var isDue: Bool { due.load(ordering: .acquiring) }

    /// Whether the task is suspended for this alone; asked and answered once for each way back.
    func takeSuspension() -> Bool { returning.exchange(false, ordering: .acquiringAndReleasing) }

    /// Has Foundation call `startLoading` after a while.
    func after(_ delay: Microseconds, _ task: URLSessionTask) {
        due.store(false, ordering: .releasing)
        Self.queue.after(delay) { [self] in
            due.store(true, ordering: .releasing)
            returning.store(true, ordering: .releasing)
            task.suspend()
            task.resume()
        }
    }
}

extension DispatchQueue {
    /// Does something after a pause.
    func after(_ delay: Microseconds, _ body: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + .microseconds(Int(clamping: delay.count)), execute: body)
    }
}

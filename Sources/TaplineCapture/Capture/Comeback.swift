// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The way back to the queue on which Foundation loads, on which alone its client may be called.
final class Comeback: Sendable {
    private let due = Atomic(false)
    /// Who comes back; set where Foundation loads, before the way is taken.
    nonisolated(unsafe) weak var owner: CapturingProtocol?

    /// Whether the way back was asked for and the time has come.
    var isDue: Bool { due.load(ordering: .acquiring) }

    /// Has the owner go on there after a while, where it lives yet.
    func after(_ delay: Microseconds, _ task: URLSessionTask) {
        due.store(false, ordering: .releasing)
        FoundationTask.queue(of: task).after(delay) { [self] in
            due.store(true, ordering: .releasing)
            unsafe owner?.goOn()
        }
    }
}

extension DispatchQueue {
    /// Does something after a pause.
    func after(_ delay: Microseconds, _ body: @escaping @Sendable () -> Void) {
        guard delay.count > 0 else { return async(execute: body) }
        asyncAfter(deadline: .now() + .microseconds(Int(clamping: delay.count)), execute: body)
    }
}

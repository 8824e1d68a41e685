// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Returns to Foundation's loading queue, the only queue on which its client may be called.
final class LoadingQueueHop: Sendable {
    /// The object that continues; it is only called on the loading queue, whatever thread requests
    /// it.
    private struct Owner: @unchecked Sendable { weak var object: CapturingProtocol? }

    private let due = Atomic(false)
    private let owner = Mutex(Owner())

    /// Sets the owner, before the first use.
    func begin(for object: CapturingProtocol) {
        let object = Owner(object: object)
        owner.withLock { $0 = object }
    }

    /// Whether a return was requested and its time has come.
    var isDue: Bool { due.load(ordering: .acquiring) }

    /// Continues the owner on the loading queue after a delay, if it still exists.
    ///
    /// This is never called while `FoundationTask.isUnderstood` is false.
    func after(_ delay: Microseconds, _ task: URLSessionTask) {
        due.store(false, ordering: .releasing)
        FoundationTask.queue(of: task)?.after(delay) { [self] in
            due.store(true, ordering: .releasing)
            owner.withLock(\.self).object?.goOn()
        }
    }
}

extension DispatchQueue {
    /// Runs a closure after a delay.
    func after(_ delay: Microseconds, _ body: @escaping @Sendable () -> Void) {
        guard delay.count > 0 else { return async(execute: body) }
        asyncAfter(deadline: .now() + .microseconds(Int(clamping: delay.count)), execute: body)
    }
}

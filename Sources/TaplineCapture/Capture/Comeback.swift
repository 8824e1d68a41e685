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
    /// Who comes back; called where Foundation loads, whatever thread asks for it.
    private struct Owner: @unchecked Sendable { weak var object: CapturingProtocol? }

    private let due = Atomic(false)
    private let owner = Mutex(Owner())

    /// Begins for an owner, before the way is taken.
    func begin(for object: CapturingProtocol) {
        let object = Owner(object: object)
        owner.withLock { $0 = object }
    }

    /// Whether the way back was asked for and the time has come.
    var isDue: Bool { due.load(ordering: .acquiring) }

    /// Has the owner go on there after a while, where it lives yet.
    ///
    /// Nobody asks for that while `FoundationTask.isUnderstood` is false.
    func after(_ delay: Microseconds, _ task: URLSessionTask) {
        due.store(false, ordering: .releasing)
        FoundationTask.queue(of: task)?.after(delay) { [self] in
            due.store(true, ordering: .releasing)
            owner.withLock(\.self).object?.goOn()
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

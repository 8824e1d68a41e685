// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What a task of Foundation holds and does not show; nothing where its version holds it elsewhere.
///
/// **Isolation**: the queue on which Foundation loads, where it changes none of it.
/// **Source**: stored properties of `URLSessionTask` in swift-corelibs-foundation.
enum FoundationTask {
    /// Where the stored properties stand, by their names; of a task that nobody else has, since
    /// looking at one copies its value.
    private static let positions: [String: Int] = {
        var positions: [String: Int] = [:]
        for (position, child) in Mirror(reflecting: URLSessionTask()).children.enumerated() {
            if let label = child.label { positions[label] = position }
        }
        return positions
    }()

    static let storedResponse = FoundationField<URLResponse?>("_response", of: URLSessionTask.self)

    /// The response that a task has got so far, without the queue on which others ask for it.
    static func response(of task: URLSessionTask) -> URLResponse? {
        storedResponse?.value(of: task) ?? task.response
    }

    /// The name of the property with the queue; a test sets another one, before any other use.
    static let queueName = Mutex("workQueue")

    static let storedQueue = FoundationField<DispatchQueue>(
        queueName.withLock { $0 },
        of: URLSessionTask.self
    )

    /// Whether stages may change, answer or hold back what a task does.
    ///
    /// Foundation traps where its client is called on another queue than that of the task, so without
    /// that queue exchanges are recorded only. Without the session of a task, what is sent in its
    /// place would lack the settings of the session.
    static let isUnderstood = storedQueue != nil && positions["session"] != nil

    /// The queue on which Foundation loads a task; `nil` if this Foundation holds it elsewhere.
    static func queue(of task: URLSessionTask) -> DispatchQueue? { storedQueue?.value(of: task) }

    /// Does something on the queue on which Foundation loads a task, unless the task is over by then;
    /// at once where that queue is not known, as an app without Tapline would.
    static func ifOnItsWay(_ task: URLSessionTask, _ body: @escaping @Sendable () -> Void) {
        guard let queue = queue(of: task) else {
            if task.isOnItsWay { body() }
            return
        }
        queue.async { if task.isOnItsWay { body() } }
    }

    /// The session of a task.
    static func session(of task: URLSessionTask) -> URLSession? {
        stored("session", of: task) as? URLSession
    }

    /// The body that an upload was made with.
    static func upload(of task: URLSessionUploadTask) -> TaskCapture.Upload {
        guard let body = payload(stored("knownBody", of: task)) else { return .unseen }
        switch payload(body) {
        case let data as DispatchData: return .data(lasting(data))
        case let file as URL: return .file(file)
        default: return .unseen
        }
    }

    /// The bytes where they stand, for as long as anybody has them: an upload may be long.
    private static func lasting(_ data: DispatchData) -> Data {
        // Several regions would be put together in a place that does not last.
        guard data.regions.count == 1 else { return Data(data) }
        return unsafe data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
            unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
                count: data.count,
                deallocator: .custom { _, _ in withExtendedLifetime(data) {} }
            )
        }
    }

    private static func stored(_ name: String, of task: URLSessionTask) -> Any? {
        guard let position = positions[name] else { return nil }
        var mirror: Mirror? = Mirror(reflecting: task)
        while let level = mirror, level.subjectType != URLSessionTask.self {
            mirror = level.superclassMirror
        }
        guard let children = mirror?.children, position < children.count else { return nil }
        return children[children.index(children.startIndex, offsetBy: position)].value
    }

    /// What a case of an enumeration bears.
    private static func payload(_ value: Any?) -> Any? {
        value.flatMap { Mirror(reflecting: $0).children.first?.value }
    }
}

extension URLSessionTask {
    /// Whether it has neither ended nor been cancelled.
    var isOnItsWay: Bool { state == .running || state == .suspended }
}

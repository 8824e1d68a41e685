// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Reads data that a Foundation task stores and does not expose; `nil` if its version stores it
/// elsewhere.
///
/// **Isolation**: Foundation's loading queue, on which Foundation changes none of it.
/// **Source**: stored properties of `URLSessionTask` in swift-corelibs-foundation.
enum FoundationTask {
    static let storedResponse = FoundationField<URLResponse?>("_response", of: URLSessionTask.self)

    /// Returns the response that a task has received so far, without the queue that its accessor
    /// uses.
    static func response(of task: URLSessionTask) -> URLResponse? {
        storedResponse?.value(of: task) ?? task.response
    }

    /// The name of the property with the queue; a test sets another one before any other use.
    static let queueName = Mutex("workQueue")

    static let storedQueue = FoundationField<DispatchQueue>(
        queueName.withLock { $0 },
        of: URLSessionTask.self
    )

    /// Whether stages may change, answer or delay the requests of a task.
    ///
    /// Foundation traps if its client is called on another queue than the task's, so without that
    /// queue exchanges are only recorded. Without the session of a task, a changed request would
    /// lack the settings of the session.
    static let isUnderstood = storedQueue != nil && storedSession != nil

    static let storedSession = FoundationReference<URLSession>(
        "session",
        declared: "URLSessionProtocol",
        of: URLSessionTask.self
    )

    /// Returns Foundation's loading queue of a task; `nil` if this version stores it elsewhere.
    static func queue(of task: URLSessionTask) -> DispatchQueue? { storedQueue?.value(of: task) }

    /// Runs a closure on Foundation's loading queue of a task, unless the task has ended by then;
    /// at once if that queue is unknown, as an app without Tapline would.
    static func ifOnItsWay(_ task: URLSessionTask, _ body: @escaping @Sendable () -> Void) {
        guard let queue = queue(of: task) else {
            if task.isOnItsWay { body() }
            return
        }
        queue.async { if task.isOnItsWay { body() } }
    }

    /// Returns the session of a task.
    static func session(of task: URLSessionTask) -> URLSession? {
        storedSession?.value(of: task)
    }

    /// Returns the fields that Foundation adds to each request of a session.
    static func additionalFields(of task: URLSessionTask) -> [String: String] {
        guard let fields = session(of: task)?.configuration.httpAdditionalHeaders else {
            return [:]
        }
        // Foundation sends no field at all if one of them is not text.
        return fields as? [String: String] ?? [:]
    }

    /// Returns the body that an upload was created with.
    static func upload(of task: URLSessionUploadTask) -> TaskCapture.Upload {
        guard let body = payload(body(of: task)) else { return .unseen }
        switch payload(body) {
        case let data as DispatchData: return .data(lasting(data))
        case let file as URL: return .file(file)
        default: return .unseen
        }
    }

    /// Returns the bytes without a copy, valid as long as they are referenced: an upload may be
    /// long.
    private static func lasting(_ data: DispatchData) -> Data {
        // Several regions would be joined in temporary memory.
        guard data.regions.count == 1 else { return Data(data) }
        return unsafe data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
            unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
                count: data.count,
                deallocator: .custom { _, _ in withExtendedLifetime(data) {} }
            )
        }
    }

    /// The position of the stored property with the body.
    ///
    /// It is determined with a task that is not shared, because looking at a property copies its
    /// value.
    private static let bodyPosition =
        Mirror(reflecting: URLSessionTask()).children.enumerated()
        .first { $0.element.label == "knownBody" }?.offset

    private static func body(of task: URLSessionTask) -> Any? {
        guard let position = bodyPosition else { return nil }
        var mirror: Mirror? = Mirror(reflecting: task)
        while let level = mirror, level.subjectType != URLSessionTask.self {
            mirror = level.superclassMirror
        }
        guard let children = mirror?.children, position < children.count else { return nil }
        return children[children.index(children.startIndex, offsetBy: position)].value
    }

    /// Returns the associated value of an enumeration case.
    private static func payload(_ value: Any?) -> Any? {
        value.flatMap { Mirror(reflecting: $0).children.first?.value }
    }
}

extension URLSessionTask {
    /// Whether the task has neither ended nor been cancelled.
    var isOnItsWay: Bool { state == .running || state == .suspended }
}

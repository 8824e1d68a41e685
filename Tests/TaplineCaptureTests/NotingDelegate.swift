// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// The answers of a delegate in a case.
struct Behaviour: Sendable {
    var redirect: @Sendable (URLSessionTask, URLRequest) -> URLRequest? = { $1 }
    var challenge:
        @Sendable (URLAuthenticationChallenge) -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        ) = { _ in (.performDefaultHandling, nil) }
    var response: @Sendable (URLSessionTask) -> URLSession.ResponseDisposition = { _ in .allow }
    var data: @Sendable (URLSessionTask) -> Void = { _ in }
    var cache: @Sendable (CachedURLResponse) -> CachedURLResponse? = { $0 }
    var stream: @Sendable () -> InputStream? = { nil }
    /// Whether the callbacks arrive at a predictable moment.
    var isInTime = true
}

/// The kind of a session's delegate.
enum DelegateKind: Sendable {
    case none, session, tasks, data, downloads

    func make(_ behaviour: Behaviour, _ notes: Notes) -> (any URLSessionDelegate)? {
        switch self {
        case .none: nil
        case .session: NotingSession(behaviour, notes)
        case .tasks: NotingTasks(behaviour, notes)
        case .data: NotingData(behaviour, notes)
        case .downloads: NotingDownloads(behaviour, notes)
        }
    }
}

/// A delegate that notes its callbacks.
class NotingSession: NSObject, URLSessionDelegate, @unchecked Sendable {
    fileprivate let behaviour: Behaviour
    fileprivate let notes: Notes

    init(_ behaviour: Behaviour, _ notes: Notes) {
        self.behaviour = behaviour
        self.notes = notes
    }

    fileprivate func note(_ session: URLSession, _ line: String) {
        let isOnQueue = OperationQueue.current === session.delegateQueue
        notes.add("\(line)\(isOnQueue ? "" : ", on another queue")")
    }

    fileprivate func state(_ task: URLSessionTask) -> String {
        behaviour.isInTime ? "\(task.state)" : "in some state"
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note(session, "invalid \(describe(error))")
    }
}

/// The same with callbacks for tasks.
class NotingTasks: NotingSession, URLSessionTaskDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note(session, "redirected by \(describe(response)) to \(describe(request)), \(state(task))")
        completionHandler(behaviour.redirect(task, request))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        note(
            session,
            "challenged \(space.host) \(space.port) \(space.realm ?? "") "
                + "\(space.authenticationMethod) \(challenge.previousFailureCount) "
                + "\(describe(challenge.failureResponse)) \(state(task))"
        )
        let (disposition, credential) = behaviour.challenge(challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note(session, "asked for a stream")
        completionHandler(behaviour.stream())
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        notes.add(sent: "\(totalBytesSent) of \(totalBytesExpectedToSend)")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        note(session, "metrics")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        note(session, "ended \(describe(error)), \(state(task))")
    }
}

/// The same with callbacks for data.
class NotingData: NotingTasks, URLSessionDataDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note(session, "responded \(describe(response)), \(state(dataTask))")
        completionHandler(behaviour.response(dataTask))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        notes.add(data: data)
        behaviour.data(dataTask)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        // The queue is Foundation's choice and differs from version to version.
        notes.add(
            "to be cached \(describe(proposedResponse.data)) \(describe(proposedResponse.response))"
        )
        completionHandler(behaviour.cache(proposedResponse))
    }
}

/// The same with callbacks for downloads.
final class NotingDownloads: NotingTasks, URLSessionDownloadDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note(session, "file \(describe(try? Data(contentsOf: location))), \(state(downloadTask))")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        notes.add(sent: "\(totalBytesWritten) of \(totalBytesExpectedToWrite) to the file")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note(session, "resumed at \(fileOffset) of \(expectedTotalBytes)")
    }
}

/// The same with callbacks for WebSockets.
final class NotingWebSockets: NotingTasks, URLSessionWebSocketDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol name: String?
    ) {
        notes.add("opened with \(name ?? "nothing")")
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        notes.add("closed with \(closeCode.rawValue) \(describe(reason))")
    }
}

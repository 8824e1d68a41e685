// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Stands before the app's delegate: looks at what only delegates are told, and hands all of it on.
///
/// **Isolation**: the session's delegate queue.
class TapDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    /// The app's delegate.
    let user: (any URLSessionDelegate)?
    private var userOfTasks: (any URLSessionTaskDelegate)? { user as? any URLSessionTaskDelegate }
    private var userOfData: (any URLSessionDataDelegate)? { user as? any URLSessionDataDelegate }

    fileprivate init(_ user: (any URLSessionDelegate)?) {
        self.user = user
    }

    /// One for a delegate of the app; it takes downloads only where that does, since Foundation
    /// treats these in another way then.
    static func make(before user: (any URLSessionDelegate)?) -> TapDelegate {
        if let user = user as? any URLSessionDownloadDelegate {
            return TapDownloadDelegate(user)
        }
        return TapDelegate(user)
    }

    // MARK: The session

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        user?.urlSession(session, didBecomeInvalidWithError: error)
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        guard let user else { return completionHandler(.performDefaultHandling, nil) }
        user.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }

    // MARK: Tasks

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let follow: @Sendable (URLRequest?) -> Void = { [self] request in
            let next = request.flatMap { redirected(task, response, $0) }
            guard let capture = TaskCapture.of(task) else { return completionHandler(next) }
            capture.answer(task) { completionHandler(next) }
        }
        guard let userOfTasks else {
            // Without a delegate Foundation sets the cookies itself.
            return follow(request.settingCookies(of: session.configuration))
        }
        userOfTasks.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: follow
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
            repeated(task, challenge, disposition, credential)
            completionHandler(disposition, credential)
        }
        guard let userOfTasks else { return answer(.performDefaultHandling, nil) }
        userOfTasks.urlSession(
            session,
            task: task,
            didReceive: challenge,
            completionHandler: answer
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let userOfTasks else { return completionHandler(nil) }
        userOfTasks.urlSession(session, task: task) { stream in
            guard let stream, let capture = TaskCapture.of(task) else {
                return completionHandler(stream)
            }
            completionHandler(TeeStream(stream, capture))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        userOfTasks?.urlSession(
            session,
            task: task,
            didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        userOfTasks?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if error == nil { noteUnobserved(task.response, of: task) }
        TaskCapture.of(task)?.exchange?.ended(error)
        TaskCapture.forget(task)
        userOfTasks?.urlSession(session, task: task, didCompleteWithError: error)
    }

    // MARK: Data

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        noteUnobserved(response, of: dataTask)
        guard let userOfData else { return completionHandler(.allow) }
        userOfData.urlSession(
            session,
            dataTask: dataTask,
            didReceive: response,
            completionHandler: completionHandler
        )
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if let capture = TaskCapture.of(dataTask), capture.sight == .elsewhere {
            capture.exchange?.received(data.span)
        }
        userOfData?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let userOfData else { return completionHandler(proposedResponse) }
        userOfData.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse,
            completionHandler: completionHandler
        )
    }
}

/// The same before a delegate that takes downloads.
private final class TapDownloadDelegate: TapDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    private let userOfDownloads: any URLSessionDownloadDelegate

    fileprivate init(_ user: any URLSessionDownloadDelegate) {
        userOfDownloads = user
        super.init(user)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        // The app may take the file away.
        TaskCapture.of(downloadTask)?.exchange?.received(location)
        userOfDownloads.urlSession(
            session,
            downloadTask: downloadTask,
            didFinishDownloadingTo: location
        )
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        userOfDownloads.urlSession(
            session,
            downloadTask: downloadTask,
            didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite
        )
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        userOfDownloads.urlSession(
            session,
            downloadTask: downloadTask,
            didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes
        )
    }
}

extension URLRequest {
    /// The request with the cookies of its URL, as a session sets them.
    func settingCookies(of configuration: URLSessionConfiguration) -> URLRequest {
        guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage,
            let url, let cookies = storage.cookies(for: url), !cookies.isEmpty
        else { return self }
        var request = self
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}

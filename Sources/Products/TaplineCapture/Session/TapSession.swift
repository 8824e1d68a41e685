// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A URLSession whose requests a tap captures completely, including bodies of uploads and
/// downloads, bodies that go to a delegate, and each redirection.
///
/// Foundation shows none of these for a session that is only tapped.
///
/// Its tasks are Foundation's own.
///
/// ```swift
/// let session = TapSession(configuration: .default)
/// let (data, response) = try await session.data(from: url)
/// ```
/// **Isolation**: any thread.
public final class TapSession: Sendable {
    /// The underlying session of Foundation.
    public let session: URLSession
    /// Where the bodies that go to a delegate, or into a file for it, are visible.
    private let dataVisibility: TaskCapture.BodyVisibility
    private let fileVisibility: TaskCapture.BodyVisibility

    /// Creates a session that is captured by the tap of the whole app, or by another one.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session; it is copied.
    ///   - delegate: The app's delegate; it receives the same callbacks as with URLSession.
    ///   - delegateQueue: The queue for calls of the delegate and of completion handlers.
    ///   - tap: The tap that captures while it runs; by default the tap of the whole app.
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil,
        tap: Tap? = nil
    ) {
        // Foundation discards what the app's delegate does not accept.
        dataVisibility = delegate is any URLSessionDataDelegate ? .elsewhere : .none
        fileVisibility = delegate is any URLSessionDownloadDelegate ? .elsewhere : .none
        session = URLSession(
            configuration: configuration.tapped(by: tap),
            delegate: TapDelegate.make(before: delegate),
            delegateQueue: delegateQueue
        )
    }

    // MARK: The session

    /// The configuration, including the capturing class.
    public var configuration: URLSessionConfiguration { session.configuration }

    /// The queue for calls of the delegate and of completion handlers.
    public var delegateQueue: OperationQueue { session.delegateQueue }

    /// The app's delegate.
    public var delegate: (any URLSessionDelegate)? { (session.delegate as? TapDelegate)?.user }

    /// A description of the session.
    public var sessionDescription: String? {
        get { session.sessionDescription }
        set { session.sessionDescription = newValue }
    }

    /// Ends the session once its tasks have ended.
    public func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }

    /// Cancels all tasks and ends the session.
    public func invalidateAndCancel() { session.invalidateAndCancel() }

    /// Removes cookies, cache and credentials.
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        session.reset(completionHandler: completionHandler)
    }

    /// Writes stored cookies and credentials to disk.
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        session.flush(completionHandler: completionHandler)
    }

    /// Calls back with the data, upload and download tasks that have not ended.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        session.getTasksWithCompletionHandler(completionHandler)
    }

    /// Calls back with the tasks that have not ended.
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        session.getAllTasks(completionHandler: completionHandler)
    }
}

// MARK: - Tasks that call the delegate

extension TapSession {
    /// A task that fetches a URL.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// A task that sends a request.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        var request = request
        let capture = TaskCapture(&request, dataVisibility)
        return capture.noted(session.dataTask(with: request))
    }

    /// A task that uploads data.
    public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask {
        TaskCapture(upload: .data(data), visibility: dataVisibility)
            .noted(session.uploadTask(with: request, from: data))
    }

    /// A task that uploads a file.
    public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask {
        TaskCapture(upload: .file(file), visibility: dataVisibility)
            .noted(session.uploadTask(with: request, fromFile: file))
    }

    /// A task that uploads a stream from the delegate.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        TaskCapture(upload: .stream, visibility: dataVisibility)
            .noted(session.uploadTask(withStreamedRequest: request))
    }

    /// A task that downloads a URL into a file.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A task that downloads into a file.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        var request = request
        let capture = TaskCapture(&request, fileVisibility)
        return capture.noted(session.downloadTask(with: request))
    }

    /// A task that resumes a download; on Linux it fails, and is not recorded.
    public func downloadTask(withResumeData data: Data) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data)
    }

    /// A WebSocket task of Foundation, which is not recorded: with Swift 6.3 on Linux it fails,
    /// because Foundation is built without the WebSockets of libcurl.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url)
    }

    /// A WebSocket task that offers protocols.
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url, protocols: protocols)
    }

    /// A WebSocket task that begins with a request.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        session.webSocketTask(with: request)
    }
}

// MARK: - Tasks with completion handlers

extension TapSession {
    /// The completion handler of a data task.
    public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    /// The completion handler of a download task; the file is removed once it returns.
    public typealias FileHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    /// A task that fetches a URL.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that sends a request.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        var request = request
        let capture = TaskCapture(&request, .handler)
        let handler = observed(completionHandler, capture)
        return capture.noted(session.dataTask(with: request, completionHandler: handler))
    }

    /// A task that uploads data.
    public func uploadTask(
        with request: URLRequest,
        from data: Data?,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        let upload = data.map(TaskCapture.Upload.data) ?? .none
        let capture = TaskCapture(upload: upload, visibility: .handler)
        let handler = observed(completionHandler, capture)
        return capture.noted(
            session.uploadTask(with: request, from: data, completionHandler: handler)
        )
    }

    /// A task that uploads a file.
    public func uploadTask(
        with request: URLRequest,
        fromFile file: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        let capture = TaskCapture(upload: .file(file), visibility: .handler)
        let handler = observed(completionHandler, capture)
        return capture.noted(
            session.uploadTask(with: request, fromFile: file, completionHandler: handler)
        )
    }

    /// A task that downloads a URL into a file.
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that downloads into a file.
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        var request = request
        let capture = TaskCapture(&request, .elsewhere)
        let handler = observed(completionHandler, capture)
        return capture.noted(session.downloadTask(with: request, completionHandler: handler))
    }

    /// A task that resumes a download; on Linux it fails, and is not recorded.
    public func downloadTask(
        withResumeData data: Data,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data, completionHandler: completionHandler)
    }
}

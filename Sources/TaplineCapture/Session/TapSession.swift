// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A URLSession whose requests a tap captures whole: bodies of uploads and downloads, those that go to
/// a delegate, and each redirection, none of which Foundation shows to a session that is only tapped.
///
/// Its tasks are Foundation's own.
///
/// ```swift
/// let session = TapSession(configuration: .default)
/// let (data, response) = try await session.data(from: url)
/// ```
/// **Isolation**: any thread.
public final class TapSession: Sendable {
    /// Foundation's session after it.
    public let session: URLSession
    /// Where bodies are seen that go to a delegate, or into a file of one.
    private let dataSight: TaskCapture.Sight
    private let fileSight: TaskCapture.Sight

    /// A session that the tap of the whole app captures, or another one.
    ///
    /// - Parameters:
    ///   - configuration: Of the session; it is copied.
    ///   - delegate: The app's delegate; it is told everything that it would be told by URLSession.
    ///   - delegateQueue: Where the delegate and completion handlers are called.
    ///   - tap: What captures while it runs; the tap of the whole app where it is left out.
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil,
        tap: Tap? = nil
    ) {
        // Foundation gives to nobody what the app's delegate does not take.
        dataSight = delegate is any URLSessionDataDelegate ? .elsewhere : .none
        fileSight = delegate is any URLSessionDownloadDelegate ? .elsewhere : .none
        session = URLSession(
            configuration: configuration.tapped(by: tap),
            delegate: TapDelegate.make(before: delegate),
            delegateQueue: delegateQueue
        )
    }

    // MARK: The session

    /// The configuration, with what captures.
    public var configuration: URLSessionConfiguration { session.configuration }

    /// Where the delegate and completion handlers are called.
    public var delegateQueue: OperationQueue { session.delegateQueue }

    /// The app's delegate.
    public var delegate: (any URLSessionDelegate)? { (session.delegate as? TapDelegate)?.user }

    /// A name for people.
    public var sessionDescription: String? {
        get { session.sessionDescription }
        set { session.sessionDescription = newValue }
    }

    /// Ends the session once its tasks are over.
    public func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }

    /// Cancels all tasks and ends the session.
    public func invalidateAndCancel() { session.invalidateAndCancel() }

    /// Forgets cookies, cache and credentials.
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        session.reset(completionHandler: completionHandler)
    }

    /// Writes what is to be kept of cookies and credentials.
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        session.flush(completionHandler: completionHandler)
    }

    /// Calls back with the tasks for data, uploads and downloads that are not over.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        session.getTasksWithCompletionHandler(completionHandler)
    }

    /// Calls back with the tasks that are not over.
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        session.getAllTasks(completionHandler: completionHandler)
    }
}

// MARK: - Tasks that tell the delegate

extension TapSession {
    /// A task that fetches a URL.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// A task that sends a request.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        var request = request
        let capture = TaskCapture(&request, dataSight)
        return capture.noted(session.dataTask(with: request))
    }

    /// A task that uploads data.
    public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask {
        TaskCapture(upload: .data(data), sight: dataSight)
            .noted(session.uploadTask(with: request, from: data))
    }

    /// A task that uploads a file.
    public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask {
        TaskCapture(upload: .file(file), sight: dataSight)
            .noted(session.uploadTask(with: request, fromFile: file))
    }

    /// A task that uploads what the delegate hands out as a stream.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        TaskCapture(upload: .stream, sight: dataSight)
            .noted(session.uploadTask(withStreamedRequest: request))
    }

    /// A task that downloads a URL into a file.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A task that downloads into a file.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        var request = request
        let capture = TaskCapture(&request, fileSight)
        return capture.noted(session.downloadTask(with: request))
    }

    /// A task that goes on with a download; on Linux it fails, and is not recorded.
    public func downloadTask(withResumeData data: Data) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data)
    }

    /// A WebSocket, which is Foundation's own and not recorded: with Swift 6.3 on Linux it fails, since
    /// that is built without the WebSockets of libcurl.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url)
    }

    /// A WebSocket that offers protocols.
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url, protocols: protocols)
    }

    /// A WebSocket that begins with a request.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        session.webSocketTask(with: request)
    }
}

// MARK: - Tasks that call back

extension TapSession {
    /// What a data task calls at its end.
    public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    /// What a download task calls at its end; the file is gone once it returns.
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
        let capture = TaskCapture(upload: upload, sight: .handler)
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
        let capture = TaskCapture(upload: .file(file), sight: .handler)
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

    /// A task that goes on with a download; on Linux it fails, and is not recorded.
    public func downloadTask(
        withResumeData data: Data,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data, completionHandler: completionHandler)
    }
}

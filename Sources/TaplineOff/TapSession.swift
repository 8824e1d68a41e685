// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A copy of this configuration.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}

/// Foundation's session under another name: a type of its own, as it is with capture, so that an app
/// may extend both.
public final class TapSession: Sendable {
    /// Foundation's session, which does everything.
    public let session: URLSession

    /// A session that nobody captures.
    @inlinable
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil,
        tap: Tap? = nil
    ) {
        session = URLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: delegateQueue
        )
    }

    // MARK: The session

    /// The session's.
    @inlinable public var configuration: URLSessionConfiguration { session.configuration }
    /// The session's.
    @inlinable public var delegateQueue: OperationQueue { session.delegateQueue }
    /// The session's.
    @inlinable public var delegate: (any URLSessionDelegate)? { session.delegate }
    /// The session's.
    @inlinable public var sessionDescription: String? {
        get { session.sessionDescription }
        set { session.sessionDescription = newValue }
    }

    /// Ends the session once its tasks are over.
    @inlinable
    public func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }
    /// Cancels all tasks and ends the session.
    @inlinable
    public func invalidateAndCancel() { session.invalidateAndCancel() }
    /// Forgets cookies, cache and credentials.
    @inlinable
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        session.reset(completionHandler: completionHandler)
    }
    /// Writes what is to be kept of cookies and credentials.
    @inlinable
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        session.flush(completionHandler: completionHandler)
    }
    /// Calls back with the tasks for data, uploads and downloads that are not over.
    @inlinable
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        session.getTasksWithCompletionHandler(completionHandler)
    }
    /// Calls back with the tasks that are not over.
    @inlinable
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        session.getAllTasks(completionHandler: completionHandler)
    }
}

// MARK: - Tasks that tell the delegate

extension TapSession {
    /// The session's task.
    @inlinable
    public func dataTask(with url: URL) -> URLSessionDataTask { session.dataTask(with: url) }
    /// The session's task.
    @inlinable
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        session.dataTask(with: request)
    }
    /// The session's task.
    @inlinable
    public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask {
        session.uploadTask(with: request, from: data)
    }
    /// The session's task.
    @inlinable
    public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask {
        session.uploadTask(with: request, fromFile: file)
    }
    /// The session's task.
    @inlinable
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        session.uploadTask(withStreamedRequest: request)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        session.downloadTask(with: url)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        session.downloadTask(with: request)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(withResumeData data: Data) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data)
    }
    /// The session's task.
    @inlinable
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url)
    }
    /// The session's task.
    @inlinable
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url, protocols: protocols)
    }
    /// The session's task.
    @inlinable
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

    /// The session's task.
    @inlinable
    public func dataTask(
        with url: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        session.dataTask(with: url, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        session.dataTask(with: request, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func uploadTask(
        with request: URLRequest,
        from data: Data?,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        session.uploadTask(with: request, from: data, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func uploadTask(
        with request: URLRequest,
        fromFile file: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        session.uploadTask(with: request, fromFile: file, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(with: url, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(with: request, completionHandler: completionHandler)
    }
    /// The session's task.
    @inlinable
    public func downloadTask(
        withResumeData data: Data,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data, completionHandler: completionHandler)
    }
}

// MARK: - Calls that wait

extension TapSession {
    /// Fetches a URL.
    @inlinable
    public func data(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.data(from: url, delegate: delegate)
    }
    /// Sends a request.
    @inlinable
    public func data(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.data(for: request, delegate: delegate)
    }
    /// Uploads data.
    @inlinable
    public func upload(
        for request: URLRequest,
        from data: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.upload(for: request, from: data, delegate: delegate)
    }
    /// Uploads a file.
    @inlinable
    public func upload(
        for request: URLRequest,
        fromFile file: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.upload(for: request, fromFile: file, delegate: delegate)
    }
    /// Downloads a URL; the file is the caller's.
    @inlinable
    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await session.download(from: url, delegate: delegate)
    }
    /// Downloads into a file, which is the caller's.
    @inlinable
    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await session.download(for: request, delegate: delegate)
    }
}

// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Returns an unchanged copy of this configuration.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}

/// Foundation's session under another name.
///
/// It is a separate type, as with capture, so that an app can extend both.
public final class TapSession: Sendable {
    /// Foundation's session, to which all calls are passed.
    public let session: URLSession

    /// Creates a session that is not captured.
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

    /// The configuration of the session.
    @inlinable public var configuration: URLSessionConfiguration { session.configuration }
    /// The delegate queue of the session.
    @inlinable public var delegateQueue: OperationQueue { session.delegateQueue }
    /// The delegate of the session.
    @inlinable public var delegate: (any URLSessionDelegate)? { session.delegate }
    /// The description of the session.
    @inlinable public var sessionDescription: String? {
        get { session.sessionDescription }
        set { session.sessionDescription = newValue }
    }

    /// Ends the session once its tasks have ended.
    @inlinable
    public func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }
    /// Cancels all tasks and ends the session.
    @inlinable
    public func invalidateAndCancel() { session.invalidateAndCancel() }
    /// Removes cookies, cache and credentials.
    @inlinable
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        session.reset(completionHandler: completionHandler)
    }
    /// Writes stored cookies and credentials to disk.
    @inlinable
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        session.flush(completionHandler: completionHandler)
    }
    /// Calls back with the data, upload and download tasks that have not ended.
    @inlinable
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        session.getTasksWithCompletionHandler(completionHandler)
    }
    /// Calls back with the tasks that have not ended.
    @inlinable
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        session.getAllTasks(completionHandler: completionHandler)
    }
}

// MARK: - Tasks that call the delegate

extension TapSession {
    /// A task of the session.
    @inlinable
    public func dataTask(with url: URL) -> URLSessionDataTask { session.dataTask(with: url) }
    /// A task of the session.
    @inlinable
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        session.dataTask(with: request)
    }
    /// A task of the session.
    @inlinable
    public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask {
        session.uploadTask(with: request, from: data)
    }
    /// A task of the session.
    @inlinable
    public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask {
        session.uploadTask(with: request, fromFile: file)
    }
    /// A task of the session.
    @inlinable
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        session.uploadTask(withStreamedRequest: request)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        session.downloadTask(with: url)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        session.downloadTask(with: request)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(withResumeData data: Data) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data)
    }
    /// A task of the session.
    @inlinable
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url)
    }
    /// A task of the session.
    @inlinable
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        session.webSocketTask(with: url, protocols: protocols)
    }
    /// A task of the session.
    @inlinable
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

    /// A task of the session.
    @inlinable
    public func dataTask(
        with url: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        session.dataTask(with: url, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping DataHandler
    ) -> URLSessionDataTask {
        session.dataTask(with: request, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func uploadTask(
        with request: URLRequest,
        from data: Data?,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        session.uploadTask(with: request, from: data, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func uploadTask(
        with request: URLRequest,
        fromFile file: URL,
        completionHandler: @escaping DataHandler
    ) -> URLSessionUploadTask {
        session.uploadTask(with: request, fromFile: file, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(with: url, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(with: request, completionHandler: completionHandler)
    }
    /// A task of the session.
    @inlinable
    public func downloadTask(
        withResumeData data: Data,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        session.downloadTask(withResumeData: data, completionHandler: completionHandler)
    }
}

// MARK: - Async calls

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
    /// Downloads a URL; the caller owns the file.
    @inlinable
    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await session.download(from: url, delegate: delegate)
    }
    /// Downloads into a file that the caller owns.
    @inlinable
    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await session.download(for: request, delegate: delegate)
    }
}

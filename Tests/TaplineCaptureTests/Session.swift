// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

@testable import TaplineCapture

/// The common calls of URLSession on Linux and `TapSession`; that both conform is checked by the
/// compiler.
protocol Session: Sendable {
    var configuration: URLSessionConfiguration { get }
    var delegateQueue: OperationQueue { get }
    var delegate: (any URLSessionDelegate)? { get }
    var sessionDescription: String? { get }
    func dataTask(with url: URL) -> URLSessionDataTask
    func dataTask(with request: URLRequest) -> URLSessionDataTask
    func uploadTask(with request: URLRequest, from data: Data) -> URLSessionUploadTask
    func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask
    func downloadTask(with url: URL) -> URLSessionDownloadTask
    func downloadTask(with request: URLRequest) -> URLSessionDownloadTask
    func downloadTask(withResumeData data: Data) -> URLSessionDownloadTask
    func webSocketTask(with url: URL) -> URLSessionWebSocketTask
    func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask
    func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask
    func dataTask(
        with url: URL,
        completionHandler: @escaping TapSession.DataHandler
    ) -> URLSessionDataTask
    func dataTask(
        with request: URLRequest,
        completionHandler: @escaping TapSession.DataHandler
    ) -> URLSessionDataTask
    func uploadTask(
        with request: URLRequest,
        from data: Data?,
        completionHandler: @escaping TapSession.DataHandler
    ) -> URLSessionUploadTask
    func uploadTask(
        with request: URLRequest,
        fromFile file: URL,
        completionHandler: @escaping TapSession.DataHandler
    ) -> URLSessionUploadTask
    func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping TapSession.FileHandler
    ) -> URLSessionDownloadTask
    func downloadTask(
        with url: URL,
        completionHandler: @escaping TapSession.FileHandler
    ) -> URLSessionDownloadTask
    func downloadTask(
        withResumeData data: Data,
        completionHandler: @escaping TapSession.FileHandler
    ) -> URLSessionDownloadTask
    func data(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
    func data(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
    func upload(
        for request: URLRequest,
        from data: Data,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
    func upload(
        for request: URLRequest,
        fromFile file: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
    func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse)
    func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse)
    func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask
    func finishTasksAndInvalidate()
    func invalidateAndCancel()
    func reset(completionHandler: @escaping @Sendable () -> Void)
    func flush(completionHandler: @escaping @Sendable () -> Void)
    func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    )
    func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void)
}

extension URLSession: Session {}
extension TapSession: Session {}

/// A way to send requests: without Tapline, or with it.
enum Way: String, CaseIterable, Sendable {
    case plain, tapped, wrapped

    /// Returns a session that a tap captures in this way.
    func session(
        _ configuration: URLSessionConfiguration,
        _ delegate: (any URLSessionDelegate)? = nil,
        _ tap: Tap
    ) -> any Session {
        if self == .wrapped {
            return TapSession(configuration: configuration, delegate: delegate, tap: tap)
        }
        return URLSession(
            configuration: self == .tapped ? configuration.tapped(by: tap) : configuration,
            delegate: delegate,
            delegateQueue: nil
        )
    }
}

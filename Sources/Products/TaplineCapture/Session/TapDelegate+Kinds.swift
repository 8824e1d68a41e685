// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension TapDelegate {
    /// Creates a delegate with the same protocols as the app's: the callbacks that a delegate
    /// accepts determine what Foundation does with a task, and where it traps.
    static func make(before user: (any URLSessionDelegate)?) -> TapDelegate {
        switch user {
        case let user as any URLSessionDataDelegate & URLSessionDownloadDelegate:
            TapDataDownloadDelegate(user)
        case let user as any URLSessionDataDelegate: TapDataDelegate(user)
        case let user as any URLSessionDownloadDelegate: TapDownloadDelegate(user)
        default: TapDelegate(user)
        }
    }

    /// Records a file before the app may move it away.
    ///
    /// - Returns: Whether the app receives the file.
    fileprivate func takes(_ file: URL, of task: URLSessionTask) -> Bool {
        guard let capture = TaskCapture.of(task) else { return true }
        guard passWithoutHead(task, capture) else { return false }
        capture.exchange?.received(file)
        return true
    }
}

/// A delegate for an app's delegate that takes data.
class TapDataDelegate: TapDelegate, URLSessionDataDelegate, @unchecked Sendable {
    private let userOfData: any URLSessionDataDelegate

    fileprivate init(_ user: any URLSessionDataDelegate) {
        userOfData = user
        super.init(user)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = passUnobserved(response, of: dataTask, hasHead: true) else {
            // Foundation continues with any answer, and a cancellation would be attributed to the
            // app.
            return completionHandler(.allow)
        }
        userOfData.urlSession(
            session,
            dataTask: dataTask,
            didReceive: response,
            completionHandler: completionHandler
        )
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if let capture = TaskCapture.of(dataTask) {
            if capture.isAborting { return }
            if capture.visibility == .elsewhere { capture.exchange?.received(data.span) }
        }
        userOfData.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        userOfData.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse,
            completionHandler: completionHandler
        )
    }
}

/// A delegate for an app's delegate that takes downloads.
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
        guard takes(location, of: downloadTask) else { return }
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

/// A delegate for an app's delegate that takes both.
private final class TapDataDownloadDelegate: TapDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    private let userOfDownloads: any URLSessionDownloadDelegate

    fileprivate init(_ user: any URLSessionDataDelegate & URLSessionDownloadDelegate) {
        userOfDownloads = user
        super.init(user)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard takes(location, of: downloadTask) else { return }
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

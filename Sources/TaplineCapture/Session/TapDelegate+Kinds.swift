// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension TapDelegate {
    /// One of the kind of the app's delegate: what a delegate takes decides what Foundation does with
    /// a task, and where it traps.
    static func make(before user: (any URLSessionDelegate)?) -> TapDelegate {
        switch (user is any URLSessionDataDelegate, user is any URLSessionDownloadDelegate) {
        case (false, false): TapDelegate(user)
        case (true, false): TapDataDelegate(user)
        case (false, true): TapDownloadDelegate(user)
        case (true, true): TapDataDownloadDelegate(user)
        }
    }

    fileprivate func downloaded(_ session: URLSession, _ task: URLSessionDownloadTask, _ file: URL)
    {
        // The app may take the file away.
        TaskCapture.of(task)?.exchange?.received(file)
        userOfDownloads?.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
    }

    fileprivate var userOfDownloads: (any URLSessionDownloadDelegate)? {
        user as? any URLSessionDownloadDelegate
    }
}

/// The same before a delegate that takes data.
class TapDataDelegate: TapDelegate, URLSessionDataDelegate, @unchecked Sendable {
    private var userOfData: (any URLSessionDataDelegate)? { user as? any URLSessionDataDelegate }

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
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        downloaded(session, downloadTask, location)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        userOfDownloads?.urlSession(
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
        userOfDownloads?.urlSession(
            session,
            downloadTask: downloadTask,
            didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes
        )
    }
}

/// The same before a delegate that takes both.
private final class TapDataDownloadDelegate: TapDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        downloaded(session, downloadTask, location)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        userOfDownloads?.urlSession(
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
        userOfDownloads?.urlSession(
            session,
            downloadTask: downloadTask,
            didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes
        )
    }
}

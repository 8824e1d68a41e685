// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The `async` calls.
///
/// Calls with a delegate are passed to Foundation: it reports challenges to that delegate, which no
/// task created here can do.
extension TapSession {
    /// Fetches a URL.
    public func data(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request.
    public func data(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        if let delegate {
            var request = request
            // The stream references its capture, which the task does not.
            _ = TaskCapture(&request, .handler)
            return try await session.data(for: request, delegate: delegate)
        }
        return try await waiting { dataTask(with: request, completionHandler: $0) }
    }

    /// Uploads data.
    public func upload(
        for request: URLRequest,
        from data: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        if let delegate {
            return try await session.upload(for: request, from: data, delegate: delegate)
        }
        return try await waiting { uploadTask(with: request, from: data, completionHandler: $0) }
    }

    /// Uploads a file.
    public func upload(
        for request: URLRequest,
        fromFile file: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        if let delegate {
            return try await session.upload(for: request, fromFile: file, delegate: delegate)
        }
        return try await waiting {
            uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
    }

    /// Downloads a URL; the caller owns the file.
    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Downloads into a file that the caller owns.
    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        if let delegate {
            var request = request
            _ = TaskCapture(&request, .none)
            return try await session.download(for: request, delegate: delegate)
        }
        return try await waiting { done in
            downloadTask(with: request) { file, response, error in
                guard let file else { return done(nil, response, error) }
                // Foundation removes its file when this returns.
                let name = "\(UUID().uuidString).tmp"
                let kept = file.deletingLastPathComponent().appendingPathComponent(name)
                do {
                    try FileManager.default.moveItem(at: file, to: kept)
                    done(kept, response, error)
                } catch {
                    done(nil, response, error)
                }
            }
        }
    }

    /// Runs a task to its end, and cancels it if the caller is cancelled.
    private func waiting<Value: Sendable>(
        _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let holder = TaskHolder()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make { value, response, error in
                    if let value, let response, error == nil {
                        continuation.resume(returning: (value, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                holder.run(task)
            }
        } onCancel: {
            holder.cancel()
        }
    }
}

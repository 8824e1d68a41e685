// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Passes the callbacks of WebSockets to the app's delegate; WebSockets are not captured.
extension TapDelegate: URLSessionWebSocketDelegate {
    private var userOfWebSockets: (any URLSessionWebSocketDelegate)? {
        user as? any URLSessionWebSocketDelegate
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol name: String?
    ) {
        userOfWebSockets?.urlSession(
            session,
            webSocketTask: webSocketTask,
            didOpenWithProtocol: name
        )
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        userOfWebSockets?.urlSession(
            session,
            webSocketTask: webSocketTask,
            didCloseWith: closeCode,
            reason: reason
        )
    }
}

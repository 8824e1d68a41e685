// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Stands between Foundation's protocol object and its client, and looks at what passes.
///
/// **Isolation**: the queue on which Foundation loads.
final class LoadingObserver: NSObject, URLProtocolClient {
    private let client: any URLProtocolClient
    private let exchange: CapturedExchange
    private let task: URLSessionTask
    private let hasResponse = Atomic(false)

    init(_ client: any URLProtocolClient, _ exchange: CapturedExchange, _ task: URLSessionTask) {
        self.client = client
        self.exchange = exchange
        self.task = task
    }

    /// Notes the head of the response, which Foundation tells only where a delegate wants it.
    private func note(_ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse,
            !hasResponse.exchange(true, ordering: .relaxed)
        else { return }
        exchange.received(Response(response))
        // It goes to a file, or to the delegate, past this one.
        if task is URLSessionDownloadTask || task.delegate != nil {
            exchange.receivesUnseenContent()
        }
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        note(response)
        client.urlProtocol(`protocol`, didReceive: response, cacheStoragePolicy: policy)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        note(task.response)
        data.withSpan { exchange.received($0) }
        client.urlProtocol(`protocol`, didLoad: data)
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        note(task.response)
        exchange.completed()
        client.urlProtocolDidFinishLoading(`protocol`)
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        note(task.response)
        if (error as? URLError)?.code == .cancelled {
            exchange.cancelled()
        } else {
            exchange.failed(ExchangeError(error))
        }
        client.urlProtocol(`protocol`, didFailWithError: error)
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        client.urlProtocol(`protocol`, wasRedirectedTo: request, redirectResponse: redirectResponse)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid response: CachedURLResponse) {
        client.urlProtocol(`protocol`, cachedResponseIsValid: response)
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        client.urlProtocol(`protocol`, didReceive: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        client.urlProtocol(`protocol`, didCancel: challenge)
    }
}

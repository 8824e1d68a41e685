// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The client of Foundation's protocol object: keeps what Foundation has loaded, and passes each
/// callback to the protocol object of Tapline.
///
/// Only the body for a completion handler passes here, whole and just before the end; delegates and
/// files receive theirs another way.
/// **Isolation**: the queue on which Foundation loads.
final class NativeLoad: NSObject, URLProtocolClient, @unchecked Sendable {
    /// The object that carries out what the stages decide.
    ///
    /// Foundation's object retains this one, and may live longer than the owner of both.
    private weak var owner: CapturingProtocol?
    /// Whether the body passes through this object.
    var seesBody: Bool
    /// The body, for a completion handler.
    var body: Data?
    /// The response head that Foundation passes on, once it is known.
    var response: HTTPURLResponse?

    init(_ owner: CapturingProtocol, seesBody: Bool) {
        self.owner = owner
        self.seesBody = seesBody
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        owner?.loaded(response, policy, by: `protocol`, self)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        owner?.loaded(data, by: `protocol`, self)
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        owner?.finishedLoading(`protocol`, self)
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        owner?.failedLoading(`protocol`, self, error)
    }

    // MARK: Callbacks in which stages have no part

    func urlProtocol(
        _ protocol: URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        owner?.client?
            .urlProtocol(`protocol`, wasRedirectedTo: request, redirectResponse: redirectResponse)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid response: CachedURLResponse) {
        owner?.client?.urlProtocol(`protocol`, cachedResponseIsValid: response)
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        owner?.client?.urlProtocol(`protocol`, didReceive: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        owner?.client?.urlProtocol(`protocol`, didCancel: challenge)
    }
}

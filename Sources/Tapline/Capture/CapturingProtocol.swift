// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What Foundation asks for each request of a captured session.
///
/// Foundation's own protocol object does the work, on the same task: redirections, credentials,
/// cookies, cache, time limits, uploads and downloads are those of an app without Tapline. This one
/// stands before it and looks at what passes.
///
/// **Isolation**: the queue on which Foundation loads.
class CapturingProtocol: URLProtocol {
    /// The number of the tap it belongs to.
    class var number: Int { 0 }

    private var inner: URLProtocol?
    private var exchange: CapturedExchange?

    override class func canInit(with request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return false }
        // Foundation keeps the class in mind behind `unregisterClass`.
        return Captures.port(of: number) != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        if let inner { return inner.startLoading() }
        guard let task, let client, let native = FoundationProtocol.make(for: task) else { return }
        let exchange = Captures.port(of: Self.number)?.begin(Request(request))
        if request.httpBodyStream != nil || task is URLSessionUploadTask {
            exchange?.sendsUnseenContent()
        } else if let body = request.httpBody {
            body.withSpan { exchange?.sent($0) }
        }
        let observer = exchange.map { LoadingObserver(client, $0, task) }
        let inner = native.init(
            task: task,
            cachedResponse: cachedResponse,
            client: observer ?? client
        )
        self.exchange = exchange
        self.inner = inner
        inner.startLoading()
    }

    override func stopLoading() {
        inner?.stopLoading()
        // A suspended task goes on later.
        if task?.state != .suspended { exchange?.cancelled() }
    }
}

/// A number as a type, in binary, the last digit outermost.
private protocol Digits { static var value: Int { get } }
private enum One: Digits { static var value: Int { 1 } }
private enum Zero<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 } }
private enum OneAfter<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 + 1 } }

/// The class of one tap.
private final class NumberedProtocol<Number: Digits>: CapturingProtocol {
    override class var number: Int { Number.value }
}

extension CapturingProtocol {
    /// A class of its own for the tap of a number, which is positive.
    ///
    /// Foundation makes protocol objects of a class and nothing else, and sessions keep it as long as
    /// they live: no two taps of a process may share one, and nobody knows how many taps there will
    /// be. So the runtime makes them, out of a type for each number.
    static func type(for number: Int) -> CapturingProtocol.Type {
        func numbered<Number: Digits>(_: Number.Type) -> CapturingProtocol.Type {
            NumberedProtocol<Number>.self
        }
        func appending<Rest: Digits>(_ bit: Int, to _: Rest.Type) -> any Digits.Type {
            bit == 0 ? Zero<Rest>.self : OneAfter<Rest>.self
        }
        precondition(number > 0, "no number of a tap")
        var digits: any Digits.Type = One.self
        for place in (0..<(Int.bitWidth - 1 - number.leadingZeroBitCount)).reversed() {
            digits = appending(number >> place & 1, to: digits)
        }
        return numbered(digits)
    }
}

/// Foundation's own protocol objects.
enum FoundationProtocol {
    /// The class that loads what a task asks for; nothing where Foundation says of none that it does.
    static func make(for task: URLSessionTask) -> URLProtocol.Type? {
        guard let request = task.currentRequest else { return nil }
        let classes = URLSessionConfiguration.default.protocolClasses ?? []
        return classes.lazy.compactMap { $0 as? URLProtocol.Type }.first {
            $0.canInit(with: request)
        }
    }
}

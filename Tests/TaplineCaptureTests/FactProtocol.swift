// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import Synchronization

/// A protocol class as an app might write it; the path of the URL selects its behaviour.
class FactProtocol: URLProtocol {
    /// Allows using the object on another queue, which is not correct.
    private struct Elsewhere: @unchecked Sendable { let fact: FactProtocol }

    static let host = "fact.invalid"
    private static let requests = Mutex<[String: [URLRequest]]>([:])

    /// Returns a unique URL that selects a behaviour.
    static func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://\(host)/\(path)?\(UUID().uuidString)") else {
            throw URLError(.badURL)
        }
        return url
    }

    /// Returns the requests that it received for a URL.
    static func requests(of url: URL) -> [URLRequest] {
        requests.withLock { $0[url.absoluteString] ?? [] }
    }

    /// A configuration with this protocol class.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FactProtocol.self]
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == host }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let client else { return }
        Self.requests.withLock { $0[url.absoluteString, default: []].append(request) }
        switch url.path {
        case "/parts": answer(["aa", "bb"])
        case "/nested":
            // As a protocol class does that forwards through its own session.
            URLSession(configuration: .ephemeral).dataTask(with: url).resume()
            answer(["done"])
        case "/redirect":
            let response = URLResponse(
                url: url,
                mimeType: nil,
                expectedContentLength: 0,
                textEncodingName: nil
            )
            client.urlProtocol(self, wasRedirectedTo: request, redirectResponse: response)
        case "/elsewhere":
            let elsewhere = Elsewhere(fact: self)
            DispatchQueue.global().async { elsewhere.fact.answer(["from elsewhere"]) }
        case "/silent", "/late": break
        // Long enough for a second task to reach Foundation in the meantime.
        case "/blocked": Thread.sleep(forTimeInterval: 1)
        default: answer(["hello"])
        }
    }

    override func stopLoading() {
        guard request.url?.path == "/late" else { return }
        // As a protocol class does whose own task reports its cancellation later.
        let elsewhere = Elsewhere(fact: self)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) {
            let fact = elsewhere.fact
            fact.client?.urlProtocol(fact, didFailWithError: URLError(.cancelled))
        }
    }

    private func answer(_ parts: [String]) {
        guard let client, let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "text/plain"]
            )
        else { return }
        client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for part in parts { client.urlProtocol(self, didLoad: Data(part.utf8)) }
        client.urlProtocolDidFinishLoading(self)
    }
}

/// A process that may be terminated by the tested behaviour.
enum FactChild {
    /// Makes a trap end the process without a crash report, and a hang end it with a code.
    static func begin(hangs code: Int32, after limit: Int = 10) {
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
            _ = Glibc.signal(signal, SIG_DFL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) { exit(code) }
    }

    /// Sends a request and waits for its end, whether it succeeds or not.
    static func fetch(_ url: URL, _ configuration: URLSessionConfiguration = .ephemeral) async {
        await withCheckedContinuation { done in
            URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in
                done.resume()
            }.resume()
        }
    }
}

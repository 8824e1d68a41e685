// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// Redirections that Foundation follows without asking a delegate of Tapline.
@Suite("Redirections that Foundation hides")
struct HiddenRedirectionTests {
    /// Returns the exchanges of a request through a session that is only tapped.
    private func exchanges(
        _ request: URLRequest,
        delegate: (any URLSessionDelegate)? = nil,
        components: [Component] = []
    ) async throws -> (status: Int?, error: URLError?, exchanges: [Exchange]) {
        let tap = Tap { for component in components { component } }
        try tap.start()
        defer { tap.stop() }
        let session = URLSession(
            configuration: .ephemeral.tapped(by: tap),
            delegate: delegate,
            delegateQueue: nil
        )
        let (status, error) = await withCheckedContinuation { continuation in
            session.dataTask(with: request) { _, response, error in
                let status = (response as? HTTPURLResponse)?.statusCode
                continuation.resume(returning: (status, error as? URLError))
            }.resume()
        }
        tap.stop()
        return (status, error, tap.entries.reversed().compactMap(\.exchange))
    }

    private func request(_ path: String, _ method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try DifferenceServer.shared.get().path(path))
        request.httpMethod = method
        if method == "POST" || method == "PUT" { request.httpBody = Data("content".utf8) }
        return request
    }

    @Test(
        "are exchanges of their own, with a reconstructed response",
        arguments: [
            ("GET", 301, "GET", 302), ("HEAD", 307, "HEAD", 302), ("POST", 302, "GET", 303),
            ("PUT", 308, "PUT", 307),
        ]
    )
    func reconstructed(method: String, status: Int, next: String, recorded: Int) async throws {
        let name = "hidden-\(method)-\(status)"
        let result = try await exchanges(request("/\(name)/redirect/\(status)/echo", method))
        #expect(result.status == 200)
        #expect(result.exchanges.map(\.request.method) == [ByteString(method), ByteString(next)])
        #expect(result.exchanges.map(\.response?.status) == [recorded, 200])
        let (first, last) = (try #require(result.exchanges.first), result.exchanges.last)
        #expect(first.tags["redirect_hidden"] == "1")
        #expect(
            first.response?.fields.first("Location")?.description == last?.request.url.description
        )
        #expect(first.response?.body == Body())
        #expect(first.request.body.bytes.isEmpty == (method == "GET" || method == "HEAD"))
        #expect(last?.request.target == ByteString("/\(name)/echo"))
        // When it began is not known.
        #expect(last?.timing.total == nil)
        #expect(last?.state == .completed)
    }

    @Test("are counted if there are several")
    func several() async throws {
        let path = "/hidden-several/redirect/307/redirect/302/echo"
        let result = try await exchanges(request(path))
        #expect(result.exchanges.map(\.response?.status) == [302, 200])
        #expect(result.exchanges.first?.tags["redirect_hidden"] == "2")
    }

    @Test("lead to the request that fails")
    func failing() async throws {
        let result = try await exchanges(request("/hidden-failing/redirect/302/rubbish"))
        #expect(result.error != nil)
        #expect(result.exchanges.map(\.state) == [.completed, .failed])
        #expect(result.exchanges.first?.tags["redirect_hidden"] == "1")
    }

    @Test("are none if the app does not follow one")
    func notFollowed() async throws {
        let delegate = NotingTasks(Behaviour(redirect: { _, _ in nil }), Notes())
        let path = "/hidden-stays/redirect/302/echo"
        let result = try await exchanges(request(path), delegate: delegate)
        #expect(result.status == 302)
        #expect(result.exchanges.map(\.response?.status) == [302])
        #expect(result.exchanges.first?.tags["redirect_hidden"] == nil)
    }

    @Test("leave the last response to the stages")
    func stages() async throws {
        let script = "function response(ex) ex.response.status = 202 end"
        let path = "/hidden-stages/redirect/302/echo"
        let result = try await exchanges(request(path), components: [.lua(code: script)])
        #expect(result.status == 202)
        #expect(result.exchanges.map(\.response?.status) == [302, 202])
    }

    @Test("pass on what the hooks of the first request have noted")
    func vars() async throws {
        let script = """
            function request(ex) ex.vars.id = "a" end
            function response(ex) ex.response.headers["X-Note"] = "id-" .. ex.vars.id end
            """
        let path = "/hidden-vars/redirect/302/echo"
        let result = try await exchanges(request(path), components: [.lua(code: script)])
        #expect(result.status == 200)
        #expect(result.exchanges.last?.response?.fields.first("X-Note")?.description == "id-a")
    }
}

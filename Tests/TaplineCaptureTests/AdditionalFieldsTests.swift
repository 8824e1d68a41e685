// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// The fields that a session adds to each request.
@Suite("Additional fields of a session")
struct AdditionalFieldsTests {
    private let origin: Origin
    private let configuration: URLSessionConfiguration

    init() throws {
        origin = try Origin()
        configuration = .ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "s", "X-Both": "session"]
    }

    private func send(
        _ way: Way,
        path: String = "/fields",
        script: String? = nil
    ) async throws -> (exchange: Exchange, received: String) {
        let tap = Tap { if let script { Component.lua(code: script) } }
        try tap.start()
        let session = way.session(configuration, nil, tap)
        var request = URLRequest(url: origin.path(path))
        request.setValue("request", forHTTPHeaderField: "x-both")
        let (data, _) = try await session.data(for: request, delegate: nil)
        tap.stop()
        return (try #require(tap.entries.first?.exchange), String(decoding: data, as: UTF8.self))
    }

    @Test("are recorded, unless the request has them", arguments: [Way.tapped, .wrapped])
    func recorded(way: Way) async throws {
        let (exchange, received) = try await send(way)
        #expect(exchange.request.fields.all("X-Session") == ["s"])
        #expect(exchange.request.fields.all("X-Both") == ["request"])
        #expect(
            received.contains("X-Session: s") && received.lowercased().contains("x-both: request")
        )
    }

    @Test("can be changed and removed by stages", arguments: [Way.tapped, .wrapped])
    func changed(way: Way) async throws {
        let script = """
            function request(ex)
              ex.request.headers['X-Session'] = nil
              ex.request.headers['X-Both'] = 'stage'
            end
            """
        let (exchange, received) = try await send(way, script: script)
        #expect(exchange.request.fields.all("X-Session").isEmpty)
        #expect(!received.contains("X-Session") && received.lowercased().contains("x-both: stage"))
    }

    @Test("are sent when a stage redirects", arguments: [Way.tapped, .wrapped])
    func redirected(way: Way) async throws {
        let script = """
            function request(ex)
              if ex.request.path == '/away' then
                return respond { status = 302, headers = { Location = '/fields' } }
              end
            end
            """
        let (exchange, received) = try await send(way, path: "/away", script: script)
        #expect(exchange.request.fields.all("X-Session") == ["s"])
        #expect(received.contains("X-Session: s"))
    }

    @Test(
        "that a stage has removed stay so after a redirection",
        arguments: [Way.tapped, .wrapped]
    )
    func removed(way: Way) async throws {
        let script = """
            function request(ex)
              if ex.request.path ~= '/away' then return end
              ex.request.path = '/redirect'
              ex.request.headers['X-Session'] = nil
            end
            """
        let (exchange, _) = try await send(way, path: "/away", script: script)
        #expect(exchange.request.target == "/hello")
        #expect(exchange.request.fields.all("X-Session").isEmpty)
    }

    @Test("cannot be removed from a request that Foundation sends after a redirection")
    func following() async throws {
        let script = """
            function request(ex)
              if ex.request.path == '/hello' then ex.request.headers['X-Session'] = nil end
            end
            """
        let (exchange, _) = try await send(.wrapped, path: "/redirect", script: script)
        #expect(exchange.request.target == "/hello")
        #expect(exchange.request.fields.all("X-Session") == ["s"])
    }
}

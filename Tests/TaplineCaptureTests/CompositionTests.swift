// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineFiles
import TaplineModel
import TestServers
import Testing

@testable import TaplineCapture

/// Pipelines that are put together in code.
@Suite struct CompositionTests {
    @Test func stagesRunInTheirOrderAndSinksGetWhatTheyLeave() async throws {
        let origin = try Origin()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let tap = Tap {
            Component.lua(
                code: "function request(ex) ex.request.headers['X-Key'] = 'secret-of-mine' end"
            )
            Component.redact(headers: ["X-Key"])
            Component.limitBody(2)
            Component.ndjson("\(folder)/all.ndjson")
            Component.ndjson("\(folder)/errors.ndjson").when("status >= 400").id("errors")
        }
        try tap.start()
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        let (data, _) = try await session.data(from: origin.path("/fields"))
        #expect(String(decoding: data, as: UTF8.self).contains("X-Key: secret-of-mine"))
        tap.stop()
        let exchange = try #require(tap.entries.first?.exchange)
        #expect(exchange.request.fields.first("X-Key") == "[redacted]")
        #expect(exchange.response?.body.bytes.count == 2)
        let lines = try String(contentsOfFile: "\(folder)/all.ndjson", encoding: .utf8)
        #expect(lines.split(separator: "\n").count == 1 && !lines.contains("secret-of-mine"))
        #expect(try String(contentsOfFile: "\(folder)/errors.ndjson", encoding: .utf8).isEmpty)
    }

    @Test func aWrongFilterIsRefusedLikeInAFile() throws {
        let tap = Tap { Component.limitBody(10).when("statuss == 1") }
        let error = #expect(throws: TapError.self) { try tap.start() }
        #expect(error.map { "\($0)" }?.contains("statuss") == true)
        #expect(!tap.isRunning)
    }

    @Test func withoutComponentsItKeepsWhatItCapturesInMemory() async throws {
        let origin = try Origin()
        let tap = Tap(maxBodySize: 3)
        try tap.start()
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        _ = try await session.data(from: origin.path("/hello"))
        tap.stop()
        let body = try #require(tap.entries.first?.exchange?.response?.body)
        #expect(body.bytes == Array("hel".utf8) && body.size == 5 && body.isTruncated)
    }
}

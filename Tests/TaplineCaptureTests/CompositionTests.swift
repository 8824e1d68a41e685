// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// A flag that is set once.
private final class Mark: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock(\.self) }
    func set() { value.withLock { $0 = true } }
}

/// Pipelines that are built in code.
@Suite struct CompositionTests {
    @Test func stagesRunInOrderAndSinksReceiveTheirResult() async throws {
        let origin = try Origin()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let tap = Tap {
            Component.lua(
                code: "function request(ex) ex.request.headers['X-Key'] = 'secret-of-mine' end"
            )
            Component.redact(headers: ["X-Key"])
            Component.limitBody(maxBytes: 2)
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

    /// A sink that opens slowly.
    private struct Late: SinkFactory {
        final class Kept: Sink {
            func write(_ batch: [Record]) throws -> WriteResult { .written }
        }
        let isOpen: Mark

        func open(_ context: SinkContext) throws -> any Sink {
            // A start that does not wait for the sink returns before this.
            Thread.sleep(forTimeInterval: 0.05)
            isOpen.set()
            return Kept()
        }
    }

    @Test func allSinksAreOpenAfterTheStart() throws {
        let isOpen = Mark()
        let tap = Tap { Component.sink("late", Late(isOpen: isOpen)) }
        try tap.start()
        #expect(isOpen.isSet)
        tap.stop()
    }

    /// Returns the mistakes that a tap reports at its start.
    private func problems(_ tap: Tap) throws -> String {
        let error = #expect(throws: TapError.self) { try tap.start() }
        #expect(!tap.isRunning)
        return try #require(error).description
    }

    @Test func anInvalidFilterIsRefusedAsInAFile() throws {
        let tap = Tap { Component.limitBody(maxBytes: 10).when("host exists and statuss == 1") }
        let text = try problems(tap)
        #expect(
            text.hasPrefix(
                """
                Tap, stage 'limit_body', option 'when': error: unknown field 'statuss'
                """
            )
        )
        #expect(
            text.contains(
                """

                      | host exists and statuss == 1
                      |                 ^~~~~~~
                help: did you mean 'status'?

                """
            )
        )
    }

    @Test func problemsNameTheComponentAndTheOption() throws {
        let tap = Tap(maxBodySize: -1) {
            Component.limitBody(maxBytes: 10)
            Component.limitBody(maxBytes: 10, response: .init(maxBytes: -5))
            Component.redact(json: ["a", "$."]).id("clean")
            Component.ndjson("a.ndjson", rotate: .init(age: .seconds(-1))).id("file")
            Component.lua(code: "return 1 +\n+ 2").id("old").id("script")
            Component.lua(script: "none.lua").id("clean")
            Component.redact(mask: "ä").queue(maxBytes: .min)
            Component.runtime(memory: -2).when("status == 200")
            Component.runtime()
        }
        let text = try problems(tap)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Tap") }
        #expect(
            lines.map { $0.prefix(upTo: $0.firstRange(of: ": error: ")?.lowerBound ?? $0.endIndex) }
                == [
                    "Tap, option 'maxBodySize'",
                    "Tap, stage 'limit_body-2' (limit_body), option 'response.max_bytes'",
                    "Tap, sink 'file' (ndjson), option 'rotate.age'",
                    "Tap, stage 'redact', option 'queue.max_bytes'",
                    "Tap, runtime", "Tap, runtime, option 'memory'",
                    "Tap, stage 'clean' (lua), option 'id'",
                    "Tap, runtime, option 'when'",
                    "Tap, stage 'clean' (redact), option 'json[1]'",
                    "Tap, stage 'redact', option 'queue'",
                    "Tap, stage 'clean' (lua), option 'script'",
                    "Tap, stage 'script' (lua), option 'code':2:1",
                ]
        )
        #expect(text.contains("a size cannot be negative; found -1, expected 0 or more bytes"))
        #expect(text.contains("the other is Tap, stage 'clean' (redact), option 'id'"))
        #expect(text.contains("'code':2:1: error: unexpected symbol near '+'\n    2 | + 2\n"))
    }

    /// The source exists without being named; if it is named, its options override the tap's.
    @Test func theSourceCanBeNamed() async throws {
        let origin = try Origin()
        let tap = Tap(maxBodySize: 3, capturesShared: true) {
            Component.urlProtocol(shared: false, captureMaxBytes: 2).id("app").when(
                "query[\"a\"] exists"
            )
        }
        try tap.start()
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        for path in ["/hello", "/hello?a"] { _ = try await session.data(from: origin.path(path)) }
        tap.stop()
        #expect(tap.entries.map(\.url) == [origin.path("/hello?a").absoluteString])
        #expect(tap.entries.first?.exchange?.source == "app")
        #expect(tap.entries.first?.exchange?.response?.body.bytes.count == 2)

        let plain = Tap(maxBodySize: 3) { Component.urlProtocol() }
        try plain.start()
        let other = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: plain))
        _ = try await other.data(from: origin.path("/hello"))
        plain.stop()
        #expect(plain.entries.first?.exchange?.response?.body.bytes.count == 3)

        let wrong = Tap {
            Component.urlProtocol().id("app").when("hos == 1")
            Component.urlProtocol(captureMaxBytes: -1)
            Component.limitBody(maxBytes: 1).id("app")
        }
        let text = try problems(wrong)
        #expect(text.contains("Tap, source: error: it is given 2 times"))
        #expect(text.contains("Tap, source 'app' (url_protocol), option 'when'"))
        #expect(text.contains("Tap, stage 'app' (limit_body), option 'id': error: "))
    }

    @Test func withoutComponentsExchangesAreKeptInMemory() async throws {
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

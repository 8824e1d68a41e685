// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCassettes

/// Failures: requests without a recording, recordings that cannot be made, and modes.
@Suite struct MissingTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// Records requests, and returns the problems if others are sent in the replay.
    private func problems(
        recorded: [(Shop) -> URLRequest],
        made: [(Shop) -> URLRequest],
        _ change: (inout RecordedOptions) -> Void = { _ in }
    ) async throws -> [String] {
        let shop = try Shop()
        try await test.run(test.options(.record, change)) { (recording) async throws in
            for request in recorded { _ = try await recording.session.data(for: request(shop)) }
        }
        return try await test.run(test.options(.replay, change)) { (recording) async throws in
            for request in made { _ = try? await recording.session.data(for: request(shop)) }
        }
    }

    private func get(_ path: String) -> (Shop) -> URLRequest {
        { URLRequest(url: $0.path(path)) }
    }

    private func post(_ body: String, _ type: String = "application/json") -> (Shop) -> URLRequest {
        { URLRequest($0.path("/echo"), post: body, type: type) }
    }

    @Test func theNearestRecordingIsShown() async throws {
        let problems = try await problems(
            recorded: [get("/users/42?page=1"), get("/users/42/cart"), get("/other")],
            made: [get("/users/43/cart?page=1")]
        )
        let text = try #require(problems.first)
        #expect(problems.count == 1)
        #expect(text.hasPrefix("no recording of this request in 'test':\n  GET http://127.0.0.1:"))
        #expect(text.contains("nearest recorded request:\n  GET http://127.0.0.1:"))
        #expect(text.contains("/users/42?page=1\n"))
        #expect(text.contains("  path: recorded '/users/42', now '/users/43/cart'\n"))
        #expect(text.hasSuffix("run the test with TAPLINE_RECORDED=record"))
    }

    /// The test reports the whole text, so the app's error, which a test usually throws on, does
    /// not repeat it.
    @Test func theAppGetsTheBeginning() async throws {
        let shop = try Shop()
        try await test.run(test.options(.record)) { (recording) async throws in
            _ = try await recording.session.data(from: shop.path("/a"))
        }
        let url = shop.path("/b")
        let problems = try await test.run(test.options(.replay)) { (recording) async throws in
            for _ in 1...2 {
                let error = await #expect(throws: URLError.self) {
                    try await recording.session.data(from: url)
                }
                #expect(error?.code == .cannotLoadFromNetwork)
                #expect(
                    error?.localizedDescription == "no recording of this request in 'test': GET "
                        + "\(url); the test's issue shows why"
                )
            }
        }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("recorded '/a', now '/b'") == true)
    }

    @Test(arguments: [
        (
            #"{"a":1,"b":[1,{"c":"x"}]}"#, #"{"b":[1,{"c":"y"}],"a":1}"#,
            "body $.b[1].c: recorded 'x', now 'y'"
        ),
        (#"{"a":1}"#, #"{"a":"1"}"#, "body $.a: recorded 1, now '1'"),
        (#"{"a":1}"#, #"{}"#, "body $.a: recorded 1, now nothing"),
        ("plain", "plane", "body: recorded 5 bytes, now 5 bytes, first difference at byte 3"),
    ])
    func bodiesAreComparedOnRequest(old: String, new: String, what: String) async throws {
        let type = old.hasPrefix("{") ? "application/json" : "text/plain"
        let made = [post(old, type), post(new, type)]
        #expect(try await problems(recorded: [post(old, type)], made: made) == [])
        let problems = try await problems(recorded: [post(old, type)], made: made) {
            $0.matching.parts.insert(.body)
        }
        #expect(problems.count == 1 && problems[0].contains(what))
    }

    @Test func bodiesAreComparedToTheirEnd() async throws {
        let body = String(repeating: "a", count: 3 << 20)
        let made = [post(body + "x", "text/plain"), post(body + "y", "text/plain")]
        let problems = try await problems(recorded: [made[0]], made: made) {
            $0.matching.parts.insert(.body)
        }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("first difference at byte 3145728") == true)
    }

    @Test func anotherNotationIsNotADifference() async throws {
        let form = "application/x-www-form-urlencoded"
        let boundaries = [
            "multipart/form-data; boundary=one", "multipart/form-data; boundary=\"two\"",
        ]
        let problems = try await problems(
            recorded: [
                post(#"{"a":1,"b":"\u0041"}"#), post("a=1&b=%41", form),
                post("--one\r\n\r\nx\r\n--one--", boundaries[0]), get("/a?x=%41&y=2&x=3"),
            ],
            made: [
                post(#"{ "b": "A", "a": 1 }"#), post("b=A&a=1", form),
                post("--two\r\n\r\nx\r\n--two--", boundaries[1]), get("/a?y=2&x=A&x=3"),
            ]
        ) {
            $0.matching.parts.insert(.body)
            $0.isStrict = true
        }
        #expect(problems == [])
    }

    @Test func partsFieldsAndItemsCanBeChosen() async throws {
        func language(_ code: String) -> (Shop) -> URLRequest {
            {
                var request = URLRequest(url: $0.path("/a?time=\(code.hashValue)"))
                request.setValue(code, forHTTPHeaderField: "X-Language")
                return request
            }
        }
        let problems = try await problems(
            recorded: [language("de")],
            made: [language("de"), language("fr")]
        ) {
            $0.matching = Matching([.method, .path, .query], fields: ["x-language"])
            $0.matching.ignoredQueryItems = ["time"]
        }
        #expect(problems.count == 1)
        #expect(problems[0].contains("field 'x-language': recorded 'de', now 'fr'"))
    }

    @Test func unusedRecordingsFailAStrictTest() async throws {
        let recorded = [get("/a"), get("/b"), get("/b")]
        #expect(try await problems(recorded: recorded, made: [get("/b")]) == [])
        let problems = try await problems(recorded: recorded, made: [get("/b")]) {
            $0.isStrict = true
        }
        #expect(problems.count == 1)
        let lines = problems[0].split(separator: "\n")
        #expect(lines.count == 3 && lines[1].hasSuffix("/a") && lines[2].hasSuffix("/b"))
    }

    /// A test that fails has not sent all of its requests.
    @Test func unusedRecordingsAreNotReportedForAFailedTest() async throws {
        let shop = try Shop()
        try await test.run(test.options(.record)) { (recording) async throws in
            _ = try await recording.session.data(from: shop.path("/a"))
        }
        let options = test.options(.replay) { $0.isStrict = true }
        let run = try RecordedRun("test", of: "a test", besides: #filePath, options)
        var problems: [String] = []
        await #expect(throws: CancellationError.self) {
            try await run.perform {
                throw CancellationError()
            } reporting: {
                problems.append($0)
            }
        }
        #expect(problems == [])
    }

    // MARK: Recording

    @Test func incompleteExchangesAreReported() async throws {
        let shop = try Shop()
        let problems = try await test.run(test.options(.record) { $0.maxBodySize = 100 }) {
            (recording) async throws in
            _ = try await recording.session.data(from: shop.path("/bytes"))
            recording.session.dataTask(with: shop.path("/slow")).resume()
            await wait(for: "both requests to be recorded") { recording.entries.count >= 2 }
        }
        #expect(problems.count == 2)
        #expect(problems.contains { $0.contains("'maxBodySize', 100 bytes") })
        #expect(problems.contains { $0.contains("/slow had not ended when the test ended") })
        // An incomplete exchange would be replayed as if it were complete.
        #expect(throws: (any Error).self) { try test.text() }
    }

    /// A fixture without the exchanges that a stage failed on would look complete.
    @Test func exchangesThatAStageFailsOnAreReported() async throws {
        let shop = try Shop()
        let script =
            "function record(ex) if ex.request.path == '/b' then error('no such thing') end end"
        let problems = try await test.run(
            test.options(.record) { $0.stages = [.redact(), .lua(code: script)] }
        ) { (recording) async throws in
            for path in ["/a", "/b"] { _ = try await recording.session.data(from: shop.path(path)) }
        }
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("1 of the test's requests were not recorded:\n") == true)
        #expect(problems.first?.contains("'lua': ") == true)
        #expect(problems.first?.contains("raised an error in hook 'record'") == true)
        #expect(throws: (any Error).self) { try test.text() }
        // An exchange that a stage drops on purpose is not lost.
        let drops =
            "function record(ex) if ex.request.path == '/b' then return drop('small') end end"
        let wanted = try await test.run(
            test.options(.record) { $0.stages = [.redact(), .lua(code: drops)] }
        ) { (recording) async throws in
            for path in ["/a", "/b"] { _ = try await recording.session.data(from: shop.path(path)) }
        }
        #expect(try wanted == [] && !test.text().contains("/b"))
    }

    @Test(arguments: ["../outside", "/outside", "a/../../outside", ""])
    func aFixtureOutsideItsFolderIsRefused(name: String) {
        #expect(throws: RecordedError.self) {
            try RecordedRun(name, of: "a test", besides: #filePath, RecordedOptions(), [:])
        }
    }

    @Test func aDownloadFailsAndNothingIsSent() async throws {
        let shop = try Shop()
        try await test.run(test.options(.record)) { (recording) async throws in
            #expect(try await recording.session.text(shop.path("/count")) == "200 1")
        }
        let problems = try await test.run(test.options(.replay)) { (recording) async throws in
            let session = TapSession(configuration: .ephemeral)
            await #expect(throws: URLError.self) {
                try await session.download(from: shop.path("/count"))
            }
        }
        #expect(problems.count == 1 && problems[0].contains("is a download"))
        #expect(
            try await URLSession(configuration: .ephemeral).text(shop.path("/count")) == "200 2"
        )
    }

    /// Foundation would send the app's credential in response to a recorded challenge.
    @Test func noCredentialIsSentInAReplay() async throws {
        final class Knowing: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession,
                task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler:
                    @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
                    -> Void
            ) {
                let ann = URLCredential(user: "ann", password: "p4ss", persistence: .none)
                completionHandler(.useCredential, ann)
            }
        }
        let shop = try Shop()
        let url = shop.path("/private")
        for (mode, text) in [(RecordedMode.record, "let in"), (.replay, "kept out")] {
            try await test.run(test.options(mode)) { (recording) async throws in
                let session = TapSession(configuration: .ephemeral, delegate: Knowing())
                let (data, response) = try await session.data(from: url)
                #expect(String(decoding: data, as: UTF8.self) == text)
                #expect(
                    (response as? HTTPURLResponse)?.statusCode == (text == "let in" ? 200 : 401)
                )
            }
        }
        // Two requests for the recording, none for the replay.
        #expect(
            try await URLSession(configuration: .ephemeral).text(shop.path("/count")) == "200 3"
        )
    }

    @Test func aTestThatFailsWritesNothing() async throws {
        let shop = try Shop()
        await #expect(throws: CancellationError.self) {
            try await test.run(test.options(.record)) { (recording) async throws in
                _ = try await recording.session.data(from: shop.path("/a"))
                throw CancellationError()
            }
        }
        #expect(throws: (any Error).self) { try test.text() }
    }

    @Test func aFailedWriteLeavesNoFile() async throws {
        let shop = try Shop()
        try FileSystem.makeFolder("\(test.folder)/test.har")
        let problems = try await test.run(test.options(.record)) { (recording) async throws in
            _ = try await recording.session.text(shop.path("/a"))
        }
        #expect(problems.count == 1 && problems.first?.contains("cannot be written") == true)
        #expect(try FileSystem.names(in: test.folder) == ["test.har"])
    }

    /// Unchanged parts of the file stay unchanged.
    @Test func recordingAgainKeepsUnchangedParts() async throws {
        let shop = try Shop()
        func record(_ paths: [String]) async throws -> [Substring] {
            try await test.run(test.options(.record)) { (recording) async throws in
                for path in paths { _ = try await recording.session.data(from: shop.path(path)) }
            }
            return try test.text().split(separator: "\n")
        }
        let first = try await record(["/a", "/same", "/b"])
        // The server's date advances with each response.
        #expect(try await record(["/b", "/a", "/same"]) == first)
        let third = try await record(["/a", "/new", "/same", "/b", "/a"])
        #expect(third.count == first.count + 2)
        #expect(third.filter { !first.contains($0) }.count <= 4)
        #expect(try await record(["/a", "/same", "/b"]) == first)
        #expect(try FileSystem.names(in: test.folder) == ["test.har"])
    }

    // MARK: Modes

    @Test func withoutAModeTheFixtureDecides() async throws {
        var shop: Shop? = try Shop()
        let url = try #require(shop?.path("/a"))
        for mode in [RecordedMode.record, .replay] {
            try await test.run(test.options(nil)) { (recording) async throws in
                #expect(recording.mode == mode)
                #expect(try await recording.session.text(url) == "200 /a")
            }
            shop = nil
        }
    }

    @Test func theEnvironmentChooses() async throws {
        let shop = try Shop()
        try await test.run(test.options(nil), [RecordedMode.variable: "off", "CI": "1"]) {
            (recording) async throws in
            #expect(recording.mode == .off && recording.tap == nil)
            #expect(try await recording.session.text(shop.path("/a")) == "200 /a")
        }
        #expect(throws: (any Error).self) { try test.text() }
        for variables in [["CI": "true"], [RecordedMode.variable: "replay"]] {
            let error = await #expect(throws: RecordedError.self) {
                try await test.run(test.options(nil), variables) { _ in }
            }
            #expect(error?.description.contains("TAPLINE_RECORDED=record, and commit") == true)
        }
        let error = await #expect(throws: RecordedError.self) {
            try await test.run(test.options(nil), [RecordedMode.variable: "recrod"]) { _ in }
        }
        #expect(error?.description.contains("expected record, replay or off") == true)
        for variables in [
            ["CI": "true", RecordedMode.variable: "record"], ["CI": "0"], ["CI": ""],
        ] {
            let name = "test-\(variables.count)-\(variables["CI"] ?? "")"
            try await test.run(test.options(nil), as: name, variables) {
                #expect($0.mode == .record)
            }
        }
    }

    @Test func aBrokenFixtureIsReportedWithItsPlace() async throws {
        try "{\"v\":1}\nnonsense\n".write(
            toFile: "\(test.folder)/test.har",
            atomically: true,
            encoding: .utf8
        )
        let error = await #expect(throws: RecordedError.self) {
            try await test.run(test.options(.replay)) { _ in }
        }
        #expect(error?.description.contains("/test.har:") == true)
    }

    @Test func anEmptyFixtureIsReported() async throws {
        for text in ["", "\n"] {
            let path = "\(test.folder)/test.har"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let error = await #expect(throws: RecordedError.self) {
                try await test.run(test.options(.replay)) { _ in }
            }
            #expect(error?.description.hasPrefix("\(path):1: the file is empty\nto record") == true)
        }
    }

    /// Later runs of a test with an empty fixture would use the network unnoticed.
    @Test func aTestThatRecordsNothingFails() async throws {
        let shop = try Shop()
        let untapped = URLSession(configuration: .ephemeral)
        let problems = try await test.run(test.options(nil)) { (_) async throws in
            _ = try await untapped.text(shop.path("/a"))
        }
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("'test': nothing was recorded, so no fixture") == true)
        #expect(throws: (any Error).self) { try test.text() }
    }

    /// Earlier versions wrote a fixture for a test that sends no requests.
    @Test func aFixtureWithoutRecordingsIsReplayed() async throws {
        try #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[]}}"#
            .write(toFile: "\(test.folder)/test.har", atomically: true, encoding: .utf8)
        let problems = try await test.run(test.options(nil)) { recording in
            #expect(recording.mode == .replay && recording.entries.isEmpty)
        }
        #expect(problems == [])
    }

    /// The error of a refused connection alone does not say that there was no fixture.
    @Test func aFirstRunWithoutTheServerSaysThatThereIsNoFixture() async throws {
        for (mode, count) in [(RecordedMode?.none, 1), (.record, 0)] {
            let options = test.options(mode)
            let run = try RecordedRun("test", of: "a test", besides: #filePath, options, [:])
            var problems: [String] = []
            await #expect(throws: URLError.self) {
                try await run.perform {
                    _ = try await run.recording.session.text(.refused)
                } reporting: {
                    problems.append($0)
                }
            }
            #expect(problems.count == count)
            let start =
                "there is no fixture '\(options.folder)/test.har', so the test used the network, "
                + "where GET \(URL.refused) failed (connect_refused)"
            #expect(problems.allSatisfy { $0.hasPrefix(start) })
        }
    }

    @Test func aComponentThatIsNotAStageIsRefused() async throws {
        let others: [Component] = [.ndjson("/dev/null"), .urlProtocol(), .runtime(memory: 1 << 20)]
        for other in others {
            let options = test.options(.record) { $0.stages = [.redact(), other] }
            let error = await #expect(throws: TapError.self) {
                try await test.run(options) { _ in }
            }
            #expect(error?.description.contains("is not a stage") == true)
        }
    }

    @Test func aBodyThatIsNotVisibleCannotBeCompared() async throws {
        let shop = try Shop()
        for (isCompared, count) in [(true, 1), (false, 0)] {
            let options = test.options(.record) {
                if isCompared { $0.matching.parts.insert(.body) }
            }
            let problems = try await test.run(options) { recording in
                var request = URLRequest(shop.path("/echo"), post: "")
                request.httpBodyStream = InputStream(data: Data("of a stream".utf8))
                _ = try await recording.session.data(for: request)
            }
            #expect(problems.count == count)
            #expect(
                problems.allSatisfy { $0.contains("/echo is not visible and cannot be compared") }
            )
            #expect((try? test.text())?.isEmpty == (isCompared ? nil : false))
        }
    }

    @Test func aFixtureBelongsToOneTest() async throws {
        for _ in 1...2 {
            try await test.run(test.options(.record), of: "first") { (recording) async throws in
                _ = try? await recording.session.text(.refused)
            }
        }
        for mode in [RecordedMode.record, nil] {
            let error = await #expect(throws: RecordedError.self) {
                try await test.run(test.options(mode), of: "second") { _ in }
            }
            let path = "\(test.folder)/test.har"
            let text = "two tests use the fixture '\(path)':\n  first\n  second\n"
            #expect(error?.description.hasPrefix(text) == true)
        }
        // An explicit replay may use a fixture that another test has recorded.
        try await test.run(test.options(.replay), of: "second") { _ in }
        try await test.run(test.options(.off), of: "second") { _ in }
        try await test.run(test.options(.record), as: "other", of: "second") { _ in }
        try await test.run(test.options(nil), of: "first") { #expect($0.mode == .replay) }
    }

    @Test func aRecordedTestWithinAnotherIsRefused() async throws {
        try await test.run(test.options(.record)) { _ in
            await #expect(throws: RecordedError.self) {
                try await test.run(test.options(.record), as: "inner") { _ in }
            }
        }
    }
}

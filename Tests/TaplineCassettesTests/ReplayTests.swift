// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCassettes

/// Tests that are recorded with a server, and replayed without it.
@Suite struct ReplayTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// Records with a server, stops it, and replays the same requests.
    private func recordAndReplay(
        _ change: (inout RecordedOptions) -> Void = { _ in },
        _ body: (Recording, (String) -> URL) async throws -> Void
    ) async throws {
        var shop: Shop? = try Shop()
        let url = try #require(shop?.url)
        func path(_ path: String) -> URL { URL(string: url + path) ?? URL(fileURLWithPath: "/") }
        let recorded = try await test.run(test.options(.record, change)) {
            (recording) async throws in
            try await body(recording, path)
        }
        #expect(recorded == [])
        shop = nil
        let replayed = try await test.run(test.options(.replay, change)) {
            (recording) async throws in
            try await body(recording, path)
        }
        #expect(replayed == [])
    }

    @Test(arguments: [RecordedOptions.Format.har, .ndjson])
    func aReplayWithoutTheServerGivesTheSame(format: RecordedOptions.Format) async throws {
        let change: (inout RecordedOptions) -> Void = {
            $0.format = format
            // Binary bodies would be masked whole.
            $0.stages = [.redact(keepTypes: ["*"])]
        }
        try await recordAndReplay(change) { (recording, path) async throws in
            let session = recording.session
            #expect(try await session.text(path("/count")) == "200 1")
            let (data, response) = try await session.data(
                for: URLRequest(path("/echo"), post: "{}")
            )
            #expect(String(decoding: data, as: UTF8.self) == "{}")
            let head = try #require(response as? HTTPURLResponse)
            #expect(head.statusCode == 201 && head.value(forHTTPHeaderField: "X-Shop") == "yes")
            #expect(head.url == path("/echo"))
            #expect(try await session.text(path("/missing")) == "404 none")
            let (bytes, _) = try await session.data(from: path("/bytes"))
            #expect(Array(bytes) == Array(repeating: Array(0...255), count: 8).flatMap(\.self))
            #expect(recording.entries.count == 4)
        }
    }

    /// Sessions of the app belong to the test if they are created within it.
    @Test func sessionsOfTheAppAreAnswered() async throws {
        try await recordAndReplay { (_, path) async throws in
            let session = URLSession(configuration: .default.tapped())
            #expect(try await session.text(path("/a")) == "200 /a")
            let (data, _) = try await TapSession().data(from: path("/b"))
            #expect(String(decoding: data, as: UTF8.self) == "/b")
            let (sent, _) = try await TapSession().upload(
                for: URLRequest(path("/echo"), post: ""),
                from: Data("sent".utf8)
            )
            #expect(String(decoding: sent, as: UTF8.self) == "sent")
        }
    }

    @Test func sharedSessionsBelongToOneTestAtATime() async throws {
        let session = URLSession(configuration: .default.tapped())
        try await recordAndReplay({ $0.capturesShared = true }) { (recording, path) async throws in
            #expect(try await session.text(path("/of-the-app")) == "200 /of-the-app")
            #expect(try await URLSession.shared.text(path("/shared")) == "200 /shared")
            #expect(recording.entries.count == 2)
        }
    }

    /// A session that the app creates once, within the first test that needs it.
    @Test func aSessionThatOutlivesItsTestBelongsToLaterTests() async throws {
        let shop = try Shop()
        var session: URLSession?
        for name in ["first", "second"] {
            let options = test.options(.record) { $0.capturesShared = true }
            try await test.run(options, as: name) { (recording) async throws in
                let made = session ?? URLSession(configuration: .default.tapped())
                session = made
                #expect(try await made.text(shop.path("/\(name)")) == "200 /\(name)")
                #expect(recording.entries.count == 1)
            }
            #expect(try test.text("\(name).har").contains("/\(name)\""))
        }
    }

    @Test func concurrentTestsDoNotMix() async throws {
        var shop: Shop? = try Shop()
        let url = try #require(shop?.url)
        for mode in [RecordedMode.record, .replay] {
            let test = test
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let problems = try await test.run(
                            test.options(mode),
                            as: "test-\(number)"
                        ) { _ in
                            let session = URLSession(configuration: .default.tapped())
                            for count in 0..<8 {
                                let path = "/\(number)/\(count)"
                                let text = try await session.text(#require(URL(string: url + path)))
                                #expect(text == "200 \(path)")
                            }
                        }
                        #expect(problems == [])
                    }
                }
                try await group.waitForAll()
            }
            shop = nil
        }
        for number in 0..<8 {
            let fixture = try test.text("test-\(number).har")
            #expect(fixture.split(separator: "\n").count == 10)
            #expect(
                fixture.matches(of: /"url":"[^"]*\/(\d)\/\d"/).allSatisfy { $0.1 == "\(number)" }
            )
        }
    }

    @Test func repeatedRequestsAreAnsweredInOrder() async throws {
        try await recordAndReplay { (recording, path) async throws in
            for count in 1...3 {
                #expect(try await recording.session.text(path("/count")) == "200 \(count)")
            }
        }
        let problems = try await test.run(test.options(.replay)) { (recording) async throws in
            let url = try #require(recording.url)
            for count in [1, 2, 3, 3] {
                #expect(try await recording.session.text(url) == "200 \(count)")
            }
        }
        #expect(problems == [])
        let options = test.options(.replay) { $0.repeats = .fail }
        let refused = try await test.run(options) { (recording) async throws in
            let url = try #require(recording.url)
            for _ in 1...3 { _ = try await recording.session.data(from: url) }
            await #expect(throws: URLError.self) { try await recording.session.data(from: url) }
        }
        #expect(refused.count == 1 && refused[0].contains("it was recorded 3 times"))
    }

    @Test func redirectionsEndWhereTheyDid() async throws {
        try await recordAndReplay { (recording, path) async throws in
            #expect(try await recording.session.text(path("/moved")) == "200 the same")
            let (data, _) = try await TapSession().data(from: path("/moved"))
            #expect(String(decoding: data, as: UTF8.self) == "the same")
        }
    }

    /// After a POST, the redirection is followed with a request without a body.
    @Test func aPostIsRedirectedWhateverIsCompared() async throws {
        try await recordAndReplay({
            $0.matching = Matching([.standard, .body], fields: ["Content-Type"])
        }) { (recording, path) async throws in
            let request = URLRequest(path("/moved"), post: "{}")
            #expect(try await recording.session.text(request) == "200 the same")
        }
    }

    @Test func failuresFailAgainInTheSameWay() async throws {
        let codes = Mutex<[URLError.Code?]>([])
        try await recordAndReplay { (recording, path) async throws in
            let closedPort = try #require(URL(string: "http://127.0.0.1:1/"))
            let refused = await #expect(throws: URLError.self) {
                try await recording.session.data(from: closedPort)
            }
            #expect(refused?.code == .cannotConnectToHost)
            let broken = await #expect(throws: URLError.self) {
                try await recording.session.data(from: path("/broken"))
            }
            // The code of a lost connection depends on the version of libcurl.
            codes.withLock { $0.append(broken?.code) }
        }
        #expect(codes.withLock { $0.count == 2 && $0[0] == $0[1] && $0[0] != nil })
    }

    /// In a replay the app is asked about redirections as well, and may refuse or cancel.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func theAppAnswersTheSameQuestions(givesUp: Bool) async throws {
        final class Saying: NSObject, URLSessionTaskDelegate {
            let givesUp: Bool

            init(_ givesUp: Bool) { self.givesUp = givesUp }

            func urlSession(
                _ session: URLSession,
                task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                if givesUp { task.cancel() }
                completionHandler(nil)
            }
        }
        try await recordAndReplay { (recording, path) async throws in
            let session = TapSession(configuration: .ephemeral, delegate: Saying(givesUp))
            do {
                let (_, response) = try await session.data(from: path("/moved"))
                #expect((response as? HTTPURLResponse)?.statusCode == 302 && !givesUp)
            } catch let error as URLError {
                #expect(error.code == .cancelled && givesUp)
            }
        }
    }

    /// Relative redirections, and those that change the method, are followed as Foundation does.
    @Test(arguments: ["GET", "HEAD", "POST"], ["/moved", "/seen", "/beside"])
    func redirectedRequestsFindTheirRecordings(method: String, start: String) async throws {
        try await recordAndReplay({ $0.matching = Matching([.standard, .body]) }) {
            (recording, path) async throws in
            var request = URLRequest(url: path(start))
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("sent".utf8) }
            let (_, response) = try await TapSession(configuration: .ephemeral).data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
    }

    @Test func aCancelledRequestCanBeCancelledAgain() async throws {
        try await recordAndReplay { (recording, path) async throws in
            let session = recording.session
            let slow = path("/slow")
            let task = Task { try await session.data(from: slow) }
            await wait(for: "the request to be recorded") { !recording.entries.isEmpty }
            task.cancel()
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}

extension Recording {
    /// The URL of the first recording.
    fileprivate var url: URL? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let match = text.firstMatch(of: /"url":"([^"]*)"/)
        else { return nil }
        return URL(string: String(match.1))
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// Redirections that Foundation does not see.
///
/// Stages answer with them, or have changed the request that leads to them. The app is asked in the
/// same way as by Foundation.
@Suite(.timeLimit(.minutes(1))) struct RedirectionTests {
    private static let moves = """
        function request(ex)
          local status, place = ex.request.path:match("^/moved/(%d+)/(.*)$")
          if status then
            return respond { status = tonumber(status), headers = { Location = "/" .. place } }
          end
          if ex.request.path == "/made" then return respond { body = ex.request.method } end
          if ex.request.path == "/refused" then return abort() end
          ex.request.headers["X-Added"] = "1"
        end
        """
    /// A delegate's answer to a redirection.
    private typealias Say = @Sendable (URLSessionTask, URLRequest) -> URLRequest?
    private static let follow: Say = { $1 }
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Sends a request in one way, with a delegate that answers redirections or without one.
    private func fetch(
        _ request: URLRequest,
        _ way: Way,
        script: String = moves,
        _ redirect: Say? = nil
    ) async throws -> (text: String, error: URLError?, entries: [Entry], asked: [String]) {
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let notes = Notes()
        let delegate = redirect.map { NotingTasks(Behaviour(redirect: $0), notes) }
        let session = way.session(.ephemeral, delegate, tap)
        let (data, response, error) = await withCheckedContinuation {
            (continuation: CheckedContinuation<(Data?, URLResponse?, (any Error)?), Never>) in
            session.dataTask(with: request) {
                continuation.resume(returning: ($0, $1, $2))
            }.resume()
        }
        session.finishTasksAndInvalidate()
        tap.stop()
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let path = response?.url?.path ?? ""
        let body = String(decoding: data ?? Data(), as: UTF8.self)
        return (
            "\(status) \(path) \(body)", error as? URLError, tap.entries.reversed(),
            notes.lines.filter { $0.hasPrefix("redirected") }
        )
    }

    private func request(_ path: String, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: origin.path(path))
        request.httpMethod = method
        if method != "GET", method != "HEAD" { request.httpBody = Data("content".utf8) }
        return request
    }

    @Test(arguments: [Way.tapped, .wrapped], [false, true])
    func theAnswerOfAStageIsFollowed(way: Way, hasDelegate: Bool) async throws {
        let outcome = try await fetch(
            request("/moved/302/moved/307/hello"),
            way,
            hasDelegate ? Self.follow : nil
        )
        #expect(outcome.text == "200 /hello hello")
        #expect(outcome.entries.map(\.statusCode) == [302, 307, 200])
        #expect(outcome.entries.last?.url == origin.path("/hello").absoluteString)
        #expect(outcome.entries.last?.responseBody == Data("hello".utf8))
        #expect(outcome.asked.count == (hasDelegate ? 2 : 0))
    }

    /// A stage turns another response into a redirection.
    @Test(arguments: [Way.tapped, .wrapped], ["", "ex.request.headers['X-Added'] = '1'"])
    func aResponseBecomesARedirection(way: Way, change: String) async throws {
        let script = """
            function request(ex) \(change) end
            function response(ex)
              if ex.request.path ~= "/gzip" then return end
              ex.response.status = 303
              ex.response.headers.Location = "/hello"
            end
            """
        let outcome = try await fetch(request("/gzip"), way, script: script)
        #expect(outcome.text == "200 /hello hello")
        #expect(outcome.entries.map(\.statusCode) == [303, 200])
    }

    /// Nothing is sent to the server.
    @Test(arguments: [Way.tapped, .wrapped])
    func aChainOfAnswersNeedsNoServer(way: Way) async throws {
        let url = try #require(URL(string: "http://nowhere.invalid/moved/301/moved/308/made"))
        let outcome = try await fetch(URLRequest(url: url), way)
        #expect(outcome.text == "200 /made GET")
        #expect(outcome.entries.map(\.statusCode) == [301, 308, 200])
    }

    /// The content is dropped, as in Foundation.
    @Test(arguments: [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("PUT", 303, "GET"),
        ("PUT", 302, "PUT"), ("POST", 307, "POST"), ("POST", 308, "POST"), ("HEAD", 303, "GET"),
    ])
    func theMethodFollowsTheStatus(method: String, status: Int, next: String) async throws {
        let outcome = try await fetch(request("/moved/\(status)/made", method), .wrapped)
        #expect(outcome.text == "200 /made \(next)")
        #expect(outcome.entries.map(\.method) == [method, next])
        let echo = try await fetch(request("/moved/\(status)/echo", method), .wrapped)
        #expect(echo.text == "200 /echo ")
        #expect(echo.entries.last?.requestBody?.isEmpty != false)
    }

    @Test func aRedirectedHEADHasNoContent() async throws {
        let outcome = try await fetch(request("/moved/302/made", "HEAD"), .wrapped)
        #expect(outcome.text == "200 /made ")
        #expect(outcome.entries.map(\.method) == ["HEAD", "HEAD"])
        let made = try #require(outcome.entries.last)
        #expect(made.responseBody?.isEmpty != false)
        // Its length is reported.
        #expect(made.responseHeaders.contains { $0.name == "Content-Length" && $0.value == "4" })
    }

    /// Even if a stage sets it.
    @Test(arguments: [
        "function request(ex) ex.request.method = 'GET' end",
        "function response(ex) ex.response.body = 'made' end",
        "function request(ex) return respond { body = 'made' } end",
    ])
    func aHEADRequestReceivesNoContent(script: String) async throws {
        let outcome = try await fetch(request("/hello", "HEAD"), .wrapped, script: script)
        #expect(outcome.text == "200 /hello ")
        #expect(outcome.entries.count == 1)
    }

    /// A delegate may choose the redirection itself, or another request.
    @Test(arguments: [Way.tapped, .wrapped], ["/moved/302/hello", "/redirect"])
    func theAppDecidesAboutARedirection(way: Way, path: String) async throws {
        let stays = try await fetch(request(path), way) { _, _ in nil }
        #expect(stays.text == "302 \(path) \(path == "/redirect" ? "elsewhere" : "")")
        #expect(stays.entries.map(\.statusCode) == [302])
        let echo = URLRequest(url: origin.path("/echo"))
        let goes = try await fetch(request(path), way) { _, _ in echo }
        #expect(goes.text == "200 /echo ")
        #expect(goes.entries.map(\.statusCode) == [302, 200])
        #expect(goes.asked.count == 1 && stays.asked.count == 1)
    }

    @Test(arguments: [Way.tapped, .wrapped])
    func aChangedRequestIsRedirectedLikeAnyOther(way: Way) async throws {
        let outcome = try await fetch(request("/redirect"), way, Self.follow)
        #expect(outcome.text == "200 /hello hello")
        #expect(outcome.entries.map(\.statusCode) == [302, 200])
        #expect(outcome.entries.first?.responseBody == Data("elsewhere".utf8))
        let fields = outcome.entries.last?.requestHeaders ?? []
        #expect(fields.contains { $0.name == "X-Added" })
        // With a delegate, Foundation leaves the cookies to the delegate.
        #expect(!fields.contains { $0.name == "Cookie" })
        let alone = try await fetch(request("/redirect"), way)
        #expect(
            alone.entries.last?.requestHeaders.first { $0.name == "Cookie" }?.value == "hop=1"
        )
        #expect(outcome.asked.count == 1)
    }

    @Test func redirectionsAreLimited() async throws {
        let loop = """
            function request(ex)
              return respond { status = 302, headers = { Location = "/" } }
            end
            """
        let outcome = try await fetch(request("/"), .tapped, script: loop)
        #expect(outcome.error?.code == .httpTooManyRedirects)
        #expect(outcome.entries.count == 21)
        #expect(outcome.entries.last?.error?.code == "too_many_redirects")
        #expect(outcome.entries.dropLast().allSatisfy { $0.state == .success })
    }

    @Test(arguments: ["ftp://127.0.0.1:1/x", "file://localhost/etc/hostname"])
    func anotherSchemeIsNotFollowed(place: String) async throws {
        let away = """
            function request(ex)
              if ex.request.path ~= "/away" then return end
              return respond { status = 302, headers = { Location = "\(place)" } }
            end
            """
        let outcome = try await fetch(request("/away"), .tapped, script: away)
        #expect(outcome.error?.code == .unsupportedURL)
        #expect(outcome.entries.last?.error?.code == "no_target")
    }

    @Test(arguments: ["/moved/302/refused", "/moved/302/moved/302/refused"])
    func aRedirectedRequestIsAborted(path: String) async throws {
        let outcome = try await fetch(request(path), .wrapped)
        #expect(outcome.error?.code == .networkConnectionLost)
        #expect(outcome.entries.last?.error?.code == "aborted")
    }

    /// Foundation was redirected itself, and a stage answers the request that follows.
    @Test(arguments: [false, true])
    func aStageAnswersWhatFoundationWouldFollow(hasDelegate: Bool) async throws {
        let answers: [(lua: String, text: String, statuses: [Int?])] = [
            ("body = 'made'", "200 /hello made", [302, 200]),
            ("status = 307, headers = { Location = '/echo' }", "200 /echo ", [302, 307, 200]),
        ]
        for answer in answers {
            let script =
                "function request(ex) if ex.request.path == '/hello' then "
                + "return delay(0.05, respond { \(answer.lua) }) end end"
            let outcome = try await fetch(
                request("/redirect"),
                .wrapped,
                script: script,
                hasDelegate ? Self.follow : nil
            )
            #expect(outcome.text == answer.text)
            #expect(outcome.entries.map(\.statusCode) == answer.statuses)
            #expect(outcome.entries.allSatisfy { $0.state == .success })
        }
    }

    /// The same for a delegate that receives the response.
    @Test func aDelegateGetsTheAnswerOfAStage() async throws {
        let script =
            "function request(ex) if ex.request.path == '/hello' then "
            + "return respond { body = 'made' } end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let notes = Notes()
        let delegate = NotingData(Behaviour(), notes)
        let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
        session.dataTask(with: origin.path("/redirect")).resume()
        await wait(for: "the app to be notified of the end") {
            notes.lines.contains { $0.hasPrefix("ended") }
        }
        tap.stop()
        let lines = notes.lines.map { $0.prefix { $0 != " " } }
        #expect(lines == ["redirected", "responded", "data", "ended"], "\(notes.lines)")
        #expect(notes.lines[2] == "data 'made'")
        #expect(tap.entries.first?.responseBody == Data("made".utf8))
    }

    /// Foundation would send the credential to the URL where the task began.
    @Test func noCredentialIsRequestedForAnotherServer() async throws {
        let server = try DifferenceServer.shared.get()
        let script = """
            function request(ex)
              if ex.request.path == "/away" then
                return respond {
                  status = 302, headers = { Location = "\(server.path("/elsewhere-than/basic"))" }
                }
              end
            end
            """
        let outcome = try await fetch(request("/away"), .wrapped, script: script, Self.follow)
        #expect(outcome.text == "401 /elsewhere-than/basic kept out")
        #expect(outcome.entries.map(\.statusCode) == [302, 401])
        let fields = outcome.entries.last?.responseHeaders ?? []
        #expect(fields.contains { $0.name.lowercased() == "www-authenticate" })
    }

    /// The same if a stage answers the request to which Foundation was redirected.
    @Test func noCredentialIsRequestedAfterARedirection() async throws {
        let script = """
            function request(ex)
              if ex.request.path ~= "/hello" then return end
              local asks = { ["WWW-Authenticate"] = 'Basic realm="made"' }
              return respond { status = 401, headers = asks, body = "made" }
            end
            """
        let outcome = try await fetch(request("/redirect"), .wrapped, script: script, Self.follow)
        #expect(outcome.text == "401 /hello made")
        #expect(outcome.entries.map(\.statusCode) == [302, 401])
    }

    /// The app continues without being captured.
    @Test(arguments: ["/moved/302/hello", "/redirect"])
    func theTapStopsDuringARedirection(path: String) async throws {
        let tap = Tap { Component.lua(code: Self.moves) }
        try tap.start()
        let behaviour = Behaviour(redirect: { _, next in
            tap.stop()
            return next
        })
        let delegate = NotingTasks(behaviour, Notes())
        let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
        let (data, _) = try await session.data(from: origin.path(path))
        #expect(data == Data("hello".utf8))
        #expect(tap.entries.map(\.statusCode) == [302])
    }

    /// The app has cancelled the task, and the delegate never answers.
    @Test func aTaskCanBeCancelledWhileTheAppIsAsked() async throws {
        final class Held: @unchecked Sendable { var task: URLSessionTask? }
        let held = Held()
        let outcome = try await fetch(request("/moved/302/hello"), .wrapped) { task, next in
            held.task = task
            task.cancel()
            return next
        }
        #expect(outcome.error?.code == .cancelled)
        #expect(outcome.entries.map(\.statusCode) == [302])
        await wait(for: "the task to complete") { held.task?.state == .completed }
    }

    /// A request that a stage has changed behaves as if it were unchanged: compares Foundation's
    /// own work with Tapline's.
    @Test(
        arguments: [
            "redirect/301/hello", "redirect/302/echo", "redirect/303/echo", "redirect/307/echo",
            "redirect/308/redirect/302/echo", "far", "nowhere", "wrongplace", "relative",
            "query", "useproxy", "capitals",
            "redirect/302/cookies", "redirect/302/status/404",
        ],
        ["GET", "HEAD", "POST", "PUT"]
    )
    func aChangedRequestBehavesLikeAnUnchangedOne(route: String, method: String) async throws {
        let server = try DifferenceServer.shared.get()
        var seen: [[String]] = []
        for script in ["", "function request(ex) ex.request.headers['X-Added'] = '1' end"] {
            let name = "chain-\(method)-\(route.replacingOccurrences(of: "/", with: "-"))"
            let tap = Tap { if !script.isEmpty { Component.lua(code: script) } }
            try tap.start()
            let notes = Notes()
            let delegate = NotingTasks(Behaviour(isInTime: false), notes)
            let configuration = URLSessionConfiguration.ephemeral
            let session = TapSession(configuration: configuration, delegate: delegate, tap: tap)
            var request = URLRequest(url: server.path("/\(name)/\(route)"))
            request.httpMethod = method
            if method.hasPrefix("P") { request.httpBody = Data("content".utf8) }
            await withCheckedContinuation { continuation in
                session.dataTask(with: request) { data, response, error in
                    notes.add("\(describe(data)) \(describe(response))")
                    notes.add("\((error as? URLError)?.code.rawValue ?? 0)")
                    continuation.resume()
                }.resume()
            }
            session.finishTasksAndInvalidate()
            tap.stop()
            let callbacks = notes.lines.filter { !$0.hasPrefix("invalid") && !$0.hasPrefix("sent") }
            let statuses = tap.entries.map { "\($0.method) \($0.statusCode ?? 0)" }
            let asked = try await server.takeRequests(of: name)
            let cookies = configuration.httpCookieStorage?.cookies?.map { "\($0)" }.sorted() ?? []
            seen.append((callbacks + statuses + asked + cookies).map { $0.withoutAddition })
        }
        let differences = zip(seen[0], seen[1]).filter { $0 != $1 }
        #expect(differences.isEmpty && seen[0].count == seen[1].count, "\(differences)")
    }
}

extension String {
    /// Without the field that a stage has added, and without the fields for content that is not
    /// sent again.
    fileprivate var withoutAddition: String {
        replacing(/(, )?"X-Added: 1"(, )?/, with: "").replacing("X-Added: 1\n", with: "")
            .replacing("'content'", with: "no data").replacing("HTTP://", with: "http://")
            .replacing("Content-Type:application/x-www-form-urlencoded\n", with: "")
    }
}

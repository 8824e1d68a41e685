// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// Changes by stages to a request that Foundation repeats with a credential.
///
/// None of Tapline's protocol objects loads it; it is visible where the app is notified.
@Suite(.timeLimit(.minutes(1))) struct CredentialTests {
    private let server: DifferenceServer

    init() throws { server = try DifferenceServer.shared.get() }

    /// How the app sends the request.
    enum Kind: CaseIterable {
        case handler, delegate, download, downloadDelegate
    }

    /// Requests a resource that needs a credential, with a script whose hooks apply only to the
    /// repeated request.
    private func notes(
        _ task: Kind,
        _ name: String,
        _ script: String,
        route: String = "basic",
        password: String = "p"
    ) async throws -> (
        lines: [String], time: Duration, entries: [Entry]
    ) {
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        let notes = Notes()
        // Foundation does not count failures.
        let count = Atomic(0)
        let behaviour = Behaviour(challenge: { challenge in
            guard count.add(1, ordering: .relaxed).oldValue == 0 else {
                return (.cancelAuthenticationChallenge, nil)
            }
            let known = URLCredential(user: "u", password: password, persistence: .none)
            return (.useCredential, known)
        })
        let kind: DelegateKind = task == .delegate ? .data : .downloads
        let session = TapSession(
            configuration: .ephemeral,
            delegate: kind.make(behaviour, notes),
            tap: tap
        )
        let url = server.path("/credential-\(name)-\(task)/\(route)")
        let begun = ContinuousClock.now
        switch task {
        case .handler:
            session.dataTask(with: url) { data, response, error in
                notes.add("responded \(describe(response))")
                notes.add(data: data ?? Data())
                notes.add("ended \((error as? URLError)?.code.rawValue ?? 0)")
            }.resume()
        case .download:
            session.downloadTask(with: url) { file, response, error in
                notes.add("responded \(describe(response))")
                notes.add("file \(describe(file.flatMap { try? Data(contentsOf: $0) }))")
                notes.add("ended \((error as? URLError)?.code.rawValue ?? 0)")
            }.resume()
        case .delegate: session.dataTask(with: url).resume()
        case .downloadDelegate: session.downloadTask(with: url).resume()
        }
        await wait(for: "the app to be notified of the end") {
            notes.lines.contains { $0.hasPrefix("ended") }
        }
        let time = ContinuousClock.now - begun
        session.finishTasksAndInvalidate()
        tap.stop()
        return (notes.lines.filter { !$0.hasPrefix("sent") }, time, tap.entries.reversed())
    }

    private func when(_ hook: String, _ what: String) -> String {
        """
        function \(hook)(ex)
          if ex.request.headers.Authorization then \(what) end
        end
        """
    }

    @Test(arguments: Kind.allCases)
    func nothingChangesWithoutHooks(task: Kind) async throws {
        let (lines, _, entries) = try await notes(task, "same", when("response", ""))
        #expect(lines.contains { $0.contains("'let in'") }, "\(lines)")
        #expect(entries.map(\.statusCode) == [401, 200])
        #expect(entries.allSatisfy { $0.state != .loading && $0.error == nil })
        #expect(entries.last?.responseBody == Data("let in".utf8))
    }

    /// Each attempt is an exchange; then the app cancels.
    @Test(arguments: Kind.allCases)
    func aCredentialIsRefused(task: Kind) async throws {
        let (lines, _, entries) = try await notes(
            task,
            "wrong",
            when("response", ""),
            password: "wrong"
        )
        #expect(entries.map(\.statusCode) == [401, 401])
        let code = URLError.Code.cancelled.rawValue
        #expect(lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") }, "\(lines)")
    }

    /// Foundation asks for a credential whatever a stage changes in the head.
    @Test(arguments: Kind.allCases)
    func aChangedChallengeIsStillAChallenge(task: Kind) async throws {
        let script = """
            function response(ex) if ex.response.status == 401 then ex.response.status = 418 end end
            function request(ex) if ex.request.headers.Authorization then return abort() end end
            """
        let (lines, _, entries) = try await notes(task, "made", script)
        let isAsked = task != .handler
        let code = isAsked ? URLError.Code.networkConnectionLost.rawValue : 0
        #expect(lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") }, "\(lines)")
        #expect(entries.count == (isAsked ? 2 : 1))
    }

    /// Foundation follows such a redirection until its limit, and cannot receive a stage's answer
    /// instead.
    @Test(arguments: [Kind.handler, .delegate])
    func theServersRedirectionIsFollowedDespiteAStagesAnswer(task: Kind) async throws {
        let script = """
            function request(ex)
              if ex.request.path:match("/hello$") then return respond { status = 203 } end
            end
            """
        let (lines, _, entries) = try await notes(task, "answered", script, route: "inner")
        let code = URLError.Code.httpTooManyRedirects.rawValue
        #expect(lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") }, "\(lines)")
        #expect(entries.prefix(2).map(\.statusCode) == [401, 302])
        #expect(!entries.contains { $0.statusCode == 203 })
    }

    @Test(arguments: Kind.allCases)
    func aResponseIsAborted(task: Kind) async throws {
        for (name, pause) in [("now", 0.0), ("late", 0.3)] {
            // A download cannot be delayed, because Foundation removes its file.
            if pause > 0, task == .download { continue }
            let script = when("response", "return delay(\(pause), abort())")
            let (lines, time, entries) = try await notes(task, "broken-\(name)", script)
            let code = URLError.Code.networkConnectionLost.rawValue
            #expect(lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") }, "\(lines)")
            #expect(!lines.contains { $0.contains("'let in'") }, "\(lines)")
            #expect(time >= .seconds(pause))
            #expect(entries.map { $0.error?.code } == [nil, "aborted"])
        }
    }

    @Test(arguments: Kind.allCases)
    func aResponseIsDelayedAndChanged(task: Kind) async throws {
        let change = "ex.response.headers['X-Added'] = '1' ex.response.body = 'made'"
        let script = when("response", "\(change) return delay(0.3)")
        let (lines, time, entries) = try await notes(task, "changed", script)
        #expect(time >= .milliseconds(300) || task == .download)
        // A stage can change a body that passes completely, and a head that the app receives.
        let body = task == .handler ? "'made'" : "'let in'"
        #expect(lines.contains { $0.contains(body) }, "\(lines)")
        let isReported = lines.contains { $0.hasPrefix("responded") && $0.contains("X-Added: 1") }
        #expect(isReported == (task != .downloadDelegate), "\(lines)")
        let fields = entries.last?.responseHeaders ?? []
        #expect(fields.contains { $0.name == "X-Added" } == isReported)
        #expect(entries.map(\.state) == [.failed, .success] || entries.last?.state == .success)
    }

    @Test(arguments: Kind.allCases)
    func theRequestIsDelayedAndAborted(task: Kind) async throws {
        let (lines, time, entries) = try await notes(
            task,
            "held",
            when("request", "return delay(0.3)")
        )
        #expect(time >= .milliseconds(300))
        #expect(lines.contains { $0.contains("'let in'") }, "\(lines)")
        #expect(entries.map(\.statusCode) == [401, 200])
        let broken = try await notes(task, "refused", when("request", "return delay(0.3, abort())"))
        let code = URLError.Code.networkConnectionLost.rawValue
        #expect(
            broken.lines.contains { $0.hasPrefix("ended") && $0.contains("\(code)") },
            "\(broken.lines)"
        )
        #expect(broken.time >= .milliseconds(300))
        #expect(broken.entries.map { $0.error?.code } == [nil, "aborted"])
    }
}

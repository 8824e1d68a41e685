// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@testable import TaplineCapture

/// If a server, or a stage instead of it, asks for a credential, the app is notified of the end
/// whatever it answers.
@Suite(.timeLimit(.minutes(1))) struct ChallengeTests {
    private static let asks = "ex.response.headers['WWW-Authenticate'] = 'Basic realm=\"stage\"'"
    private static let answer = "headers = {['WWW-Authenticate'] = 'Basic realm=\"stage\"'}"
    private let server: DifferenceServer

    init() throws { server = try DifferenceServer.shared.get() }

    /// The result that the app receives, and how often it was asked.
    private struct Ending {
        let status: Int?
        let text: String
        let error: URLError.Code?
        let questions: Int
    }

    /// Sends a request through a script, with a delegate that provides a credential or cancels.
    private func ending(
        _ script: String,
        _ path: String,
        credential: URLCredential? = nil
    ) async throws -> Ending {
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        defer { tap.stop() }
        let delegate = CredentialProvider(credential)
        // A tapped session with a delegate does not show the response body.
        let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
        let (data, response, error) = await withCheckedContinuation {
            (continuation: CheckedContinuation<(Data?, URLResponse?, (any Error)?), Never>) in
            session.dataTask(with: server.path(path) as URL) {
                continuation.resume(returning: ($0, $1, $2))
            }.resume()
        }
        session.invalidateAndCancel()
        return Ending(
            status: (response as? HTTPURLResponse)?.statusCode,
            text: String(decoding: data ?? Data(), as: UTF8.self),
            error: (error as? URLError)?.code,
            questions: delegate.count
        )
    }

    @Test(arguments: [
        ("function response(ex) ex.response.status = 401; \(asks) end", "/made/hello"),
        ("function request(ex) return respond{status = 401, \(answer)} end", "/answered/hello"),
        ("function request(ex) ex.request.headers['X-Added'] = '1' end", "/changed/basic"),
        ("function request(ex) end", "/same/basic"),
    ])
    func aCancelledChallengeIsReported(script: String, path: String) async throws {
        let ending = try await ending(script, path)
        #expect(ending.error == .cancelled)
        #expect(ending.questions == 1)
    }

    @Test func aChallengeThatAStageRemovesIsNotAnswered() async throws {
        let script = """
            function response(ex)
              ex.response.status = 200
              ex.response.headers["WWW-Authenticate"] = nil
            end
            """
        let ending = try await ending(script, "/taken/basic")
        #expect(ending.status == 200 && ending.error == nil)
        #expect(ending.text == "kept out")
        #expect(ending.questions == 0)
    }

    @Test(arguments: ["function request(ex) ex.request.headers['X-Added'] = '1' end", ""])
    func aCredentialIsSentToTheServer(script: String) async throws {
        let ending = try await ending(
            script.isEmpty ? "function request(ex) end" : script,
            "/credential/basic",
            credential: URLCredential(user: "u", password: "p", persistence: .none)
        )
        #expect(ending.status == 200)
        #expect(ending.text == "let in")
        #expect(ending.questions == 1)
    }
}

/// Provides a credential once, or cancels at once.
private final class CredentialProvider: NSObject, URLSessionTaskDelegate {
    private let credential: URLCredential?
    private let asked = Mutex(0)

    init(_ credential: URLCredential?) { self.credential = credential }

    var count: Int { asked.withLock { $0 } }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        asked.withLock { $0 += 1 }
        guard let credential, challenge.previousFailureCount == 0 else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.useCredential, credential)
    }
}

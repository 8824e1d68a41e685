// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineCapture

/// Stages that make requests fail, and consecutive taps.
@Suite struct FailVerdictTests {
    /// Makes all requests fail with one error.
    private struct Failing: StageFactory {
        let error: ExchangeError
        var hooks: Hooks { .request }

        func makeStage(_ context: StageContext) throws -> any Stage { Lane(error: error) }

        final class Lane: WireStage {
            let error: ExchangeError

            init(error: ExchangeError) { self.error = error }

            func request(
                _ exchange: inout Exchange,
                _ context: inout ExchangeContext
            ) throws -> Verdict { .fail(error) }
        }
    }

    @Test(arguments: [
        ("dns", "", URLError.Code.cannotFindHost), ("timeout", "late", .timedOut),
        ("tls_verify", "", .serverCertificateUntrusted), ("odd", "so", .unknown),
        ("failed", "URLSession failed with code -1009", .notConnectedToInternet),
    ])
    func theAppReceivesTheErrorForTheCode(
        word: String,
        message: String,
        code: URLError.Code
    ) async throws {
        let error = ExchangeError(code: word, message: message)
        let tap = Tap { Component.stage("fail", Failing(error: error)) }
        try tap.start()
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        let url = try #require(URL(string: "http://nobody.test/"))
        let seen = await #expect(throws: URLError.self) { try await session.data(from: url) }
        tap.stop()
        #expect(seen?.code == code)
        #expect(tap.entries.map(\.state) == [.failed])
        #expect(tap.entries.first?.exchange?.error == error)
        #expect(tap.entries.first?.exchange?.bytes == nil)
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TestSupport
import Testing

@testable import TaplineAppInspector

@Suite("The inspector of an app", .timeLimit(.minutes(2)))
struct InspectorTests {
    /// The answer of a call after a login.
    private func answer(_ path: String, of inspector: Inspector) throws -> String {
        let output = try runShell(
            """
            url='\(inspector.url)'
            base=${url%%/#*}
            jar=$(mktemp)
            login=$(curl -s -c "$jar" -H 'Content-Type: application/json' \
              -d "{\\"token\\":\\"${url##*token=}\\"}" "$base/api/login")
            key=${login#*:\\"}
            curl -s -b "$jar" -H "Tapline-Key: ${key%%\\"*}" "$base/api/\(path)"
            rm "$jar"
            """
        )
        return output.output
    }

    @Test("shows the database of the tap, and what it captures from then on")
    func showsTheDatabase() async throws {
        let folder = try TemporaryFolder()
        let tap = Tap { Component.sqlite(folder("traffic.db")) }
        try tap.start()
        let inspector = try Inspector(stores: [], port: 0, of: tap)
        let info = try answer("info", of: inspector)
        #expect(info.contains("\"path\":\"\(folder("traffic.db"))\""), "\(info)")
        #expect(info.contains("\"resend\":false"), "\(info)")
        let session = URLSession(configuration: URLSessionConfiguration.ephemeral.tapped(by: tap))
        let url = try #require(URL(string: "http://127.0.0.1:1/captured"))
        _ = try? await session.data(from: url)
        #expect(await tap.flush())
        // The page looks at the database ten times a second.
        try await wait(for: "the captured exchange") {
            try answer("rows?count=1", of: inspector).contains("\"path\":\"/captured\"")
        }
        inspector.stop()
        #expect(try answer("info", of: inspector).isEmpty)
        tap.stop()
    }

    @Test("shows named stores, also without a tap")
    func showsNamedStores() throws {
        let recording = TestFiles.repository + "/Examples/recordings/chromium.har"
        let inspector = try Inspector(stores: [recording], port: 0, of: nil)
        #expect(try answer("info", of: inspector).contains("\"count\":38"))
        inspector.stop()
    }

    @Test("does not start without a database, and says what to do")
    func needsADatabase() throws {
        let tap = Tap()
        try tap.start()
        for tap in [nil, tap] {
            #expect {
                _ = try Inspector(stores: [], port: 0, of: tap)
            } throws: {
                "\($0)".contains("start Tapline with a sink 'sqlite' first")
            }
        }
        tap.stop()
    }
}

// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// Objects are released when they are no longer needed.
@Suite struct LifetimeTests {
    /// An object whose release can be observed.
    private final class Token: Sendable {}

    private struct Weak: Sendable {
        weak let object: (any AnyObject & Sendable)?
    }

    private struct Keeping: StageFactory {
        let token: Token
        var hooks: Hooks { [.record] }

        func makeStage(_ context: StageContext) throws -> any Stage { Running(token: token) }

        final class Running: RecordStage {
            private let token: Token
            init(token: Token) { self.token = token }

            func record(_: inout Exchange, _: inout ExchangeContext) -> RecordVerdict { .keep }
        }
    }

    private struct Shut: SinkFactory {
        func open(_ context: SinkContext) throws -> any Sink { throw SinkError(.refused, "shut") }
    }

    /// Returns whether all objects are released, which may take other threads a while.
    private func go(_ objects: [Weak]) async throws -> Bool {
        await wait(for: "all objects to be released") { objects.allSatisfy { $0.object == nil } }
    }

    @Test func aTapThatDoesNotStartIsReleased() async throws {
        func start(_ component: Component) -> Weak {
            let token = Token()
            let tap = Tap {
                Component.stage("keeping", Keeping(token: token))
                component
            }
            #expect(throws: TapError.self) { try tap.start() }
            return Weak(object: token)
        }
        let isRefused = start(.lua(code: "function request("))
        let doesNotOpen = start(.sink("shut", Shut()))
        #expect(try await go([isRefused, doesNotOpen]))
    }

    @Test func aTapThatHasRunIsReleased() async throws {
        let origin = try Origin()
        func run() async throws -> Weak {
            let token = Token()
            let tap = Tap { Component.stage("keeping", Keeping(token: token)) }
            try tap.start()
            let session = TapSession(configuration: .ephemeral, tap: tap)
            _ = try await session.data(from: origin.path("/hello"))
            tap.stop()
            return Weak(object: token)
        }
        #expect(try await go([run()]))
    }

    /// As with Foundation's session, even if it is still referenced.
    @Test func anInvalidatedSessionReleasesItsDelegate() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        func use(_ session: any Session) async throws {
            _ = try await session.data(from: origin.path("/redirect"), delegate: nil)
            session.finishTasksAndInvalidate()
        }
        func plain() async throws -> (Weak, any Session) {
            let delegate = NotingData(Behaviour(), Notes())
            let session =
                URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            try await use(session)
            return (Weak(object: delegate), session)
        }
        func tapped() async throws -> (Weak, any Session) {
            let delegate = NotingData(Behaviour(), Notes())
            let session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
            try await use(session)
            return (Weak(object: delegate), session)
        }
        let (ofFoundation, ofTapline) = (try await plain(), try await tapped())
        #expect(try await go([ofFoundation.0, ofTapline.0]))
        tap.stop()
    }

    @Test func aTaskThatIsCancelledDuringADelayIsReleased() async throws {
        let origin = try Origin()
        let script =
            "function request(ex) if ex.request.path == '/hello' then return delay(5) end end"
        let tap = Tap { Component.lua(code: script) }
        try tap.start()
        func tasks() async throws -> [Weak] {
            let session = TapSession(configuration: .ephemeral, tap: tap)
            let tasks = (0..<8).map { _ in
                session.dataTask(with: origin.path("/redirect")) { _, _, _ in }
            }
            for task in tasks { task.resume() }
            await wait(for: "both requests of each task") { tap.entries.count >= 16 }
            for task in tasks { task.cancel() }
            session.finishTasksAndInvalidate()
            return tasks.map { Weak(object: $0) }
        }
        #expect(try await go(tasks()))
        tap.stop()
        #expect(tap.entries.filter { $0.state == .cancelled }.count == 8)
    }
}

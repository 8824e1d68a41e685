// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

@testable import TaplineCapture

/// Behaviour of Foundation on Linux that ends the process or never ends a request; each test has
/// its own process.
///
/// If a test fails here, Foundation was fixed: Tapline may be simplified, and cases that
/// `DifferenceCase` leaves out can be compared.
@Suite struct FoundationTrapTests {
    @Test(.timeLimit(.minutes(2)))
    func creatingATaskOnTheLoadingQueueBlocksIt() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 1)
            await FactChild.fetch(try FactProtocol.url("nested"), FactProtocol.configuration)
            exit(0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aProtocolThatReportsARedirectionTraps() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 0)
            await FactChild.fetch(try FactProtocol.url("redirect"), FactProtocol.configuration)
            exit(0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aProtocolThatReportsAfterTheEndTraps() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 0)
            let session = URLSession(configuration: FactProtocol.configuration)
            let task = session.dataTask(with: try FactProtocol.url("late")) { _, _, _ in }
            task.resume()
            let url = try #require(task.originalRequest?.url)
            await wait(for: "the protocol to start") { !FactProtocol.requests(of: url).isEmpty }
            task.cancel()
            // The process traps before the end of this time.
            try await Task.sleep(for: .seconds(5))
            exit(0)
        }
    }

    /// On an idle machine this takes a tenth of a second; under load, the race may take much
    /// longer to occur.
    @Test(.timeLimit(.minutes(3)))
    func aProtocolThatAnswersOnAnotherQueueTraps() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 0, after: 120)
            let session = URLSession(configuration: FactProtocol.configuration)
            while true {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask {
                            guard let url = try? FactProtocol.url("elsewhere") else { return }
                            await withCheckedContinuation { done in
                                session.dataTask(with: url) { _, _, _ in done.resume() }.resume()
                            }
                        }
                    }
                }
            }
        }
    }

    /// The trap needs an exact moment between the end of a load and that of its task, which may be
    /// missed for a while.
    @Test(.timeLimit(.minutes(3)))
    func aTaskThatIsSuspendedAndResumedWhileItEndsTraps() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 0, after: 120)
            let session = URLSession(configuration: FactProtocol.configuration)
            let url = try FactProtocol.url("hello")
            while true {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            let task = session.dataTask(with: url) { _, _, _ in }
                            task.resume()
                            while task.state != .completed {
                                task.suspend()
                                task.resume()
                            }
                        }
                    }
                }
            }
        }
    }

    /// The solution in Tapline: 64 tasks at once, without a trap.
    @Test(.timeLimit(.minutes(2)))
    func aTapAnswersOnTheLoadingQueue() async throws {
        let origin = try Origin()
        await #expect(processExitsWith: .success) { [url = origin.path("/hello") as URL] in
            let tap = Tap()
            try tap.start()
            let configuration = URLSessionConfiguration.ephemeral.tapped(by: tap)
            let session = URLSession(configuration: configuration)
            for _ in 0..<10 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask { _ = try? await session.data(from: url) }
                    }
                }
            }
            tap.stop()
            exit(tap.summary().rows.first?.requests == 640 ? 0 : 1)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aDownloadThatAProtocolAnswersTraps() async {
        await #expect(processExitsWith: .failure) {
            FactChild.begin(hangs: 0)
            let session = URLSession(configuration: FactProtocol.configuration)
            _ = try await session.download(from: try FactProtocol.url("hello"))
            exit(0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func registeredProtocolsApplyOnlyToTheSharedSession() async {
        await #expect(processExitsWith: .success) {
            FactChild.begin(hangs: 1)
            _ = URLProtocol.registerClass(FactProtocol.self)
            let shared = try FactProtocol.url("hello")
            let other = try FactProtocol.url("hello")
            _ = try? await URLSession.shared.data(from: shared)
            _ = try? await URLSession(configuration: .default).data(from: other)
            // The class is asked forever, even after it is unregistered.
            URLProtocol.unregisterClass(FactProtocol.self)
            let late = try FactProtocol.url("hello")
            _ = try? await URLSession.shared.data(from: late)
            let counts = [shared, other, late].map { FactProtocol.requests(of: $0).count }
            exit(counts == [1, 0, 1] ? 0 : 1)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func allSessionsOfAProcessWaitForEachOther() async {
        await #expect(processExitsWith: .success) {
            FactChild.begin(hangs: 1)
            let blocking = URLSession(configuration: FactProtocol.configuration)
            let blocked = try FactProtocol.url("blocked")
            blocking.dataTask(with: blocked).resume()
            await wait(for: "the protocol to start") { !FactProtocol.requests(of: blocked).isEmpty }
            let start = ContinuousClock.now
            await FactChild.fetch(try FactProtocol.url("hello"), FactProtocol.configuration)
            exit(ContinuousClock.now - start > .milliseconds(500) ? 0 : 1)
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["headonly", "trailer"])
    func someResponsesCrashTheProcess(_ route: String) async throws {
        let server = try DifferenceServer.shared.get()
        await #expect(processExitsWith: .failure) { [url = server.path("/traps/\(route)") as URL] in
            FactChild.begin(hangs: 0)
            await FactChild.fetch(url)
            exit(0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anUnansweredChallengeNeverEnds() async throws {
        let server = try DifferenceServer.shared.get()
        await #expect(processExitsWith: .failure) { [url = server.path("/traps/basic") as URL] in
            FactChild.begin(hangs: 1)
            await FactChild.fetch(url)
            exit(0)
        }
    }
}

// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplineOperations
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

/// Notes what a page starts, and runs nothing.
private final class NotedActions: InspectorActions {
    final class Run: StartedRun {
        let isRunning = Mutex(true)

        var progress: RunProgress {
            var progress = RunProgress()
            progress.isRunning = isRunning.withLock { $0 }
            progress.url = "http://127.0.0.1:1"
            progress.lines = ["3 sent"]
            if !progress.isRunning { progress.compared = (3, 1) }
            return progress
        }

        var differences: [UInt8]? {
            isRunning.withLock { $0 } ? nil : Array(#"{"pairs":3,"routes":[]}"#.utf8)
        }

        func stop() { isRunning.withLock { $0 = false } }
    }

    let recordingFolder: String?
    let requests = Mutex<[RunRequest]>([])

    init(recordingFolder: String? = nil) { self.recordingFolder = recordingFolder }

    func start(_ request: RunRequest) throws(ControlError) -> any StartedRun {
        if request.target == "http://refused" { throw ControlError("it cannot start") }
        requests.withLock { $0.append(request) }
        return Run()
    }
}

/// Begins a run once the test lets it go on.
private final class SlowActions: InspectorActions {
    enum State { case idle, beginning, goesOn }

    let state = Mutex(State.idle)
    var recordingFolder: String? { nil }

    func start(_ request: RunRequest) throws(ControlError) -> any StartedRun {
        state.withLock { $0 = .beginning }
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end, state.withLock({ $0 }) == .beginning { sched_yield() }
        return NotedActions.Run()
    }
}

@Suite("Replays and mocks that a page starts", .timeLimit(.minutes(1)))
struct RunEndpointTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
    }

    private static let replay = #"{"kind":"replay","to":"http://127.0.0.1:9","speed":"max"}"#

    @Test("are refused where the inspector was started without them")
    func off() throws {
        let browser = try Browser(folder("traffic.db"))
        #expect(try !browser.get("info").json["can"]["actions"].isTrue)
        let answer = try browser.post("runs", Self.replay)
        #expect(answer.status == 409)
        #expect(try answer.json["error"]["code"].text == "no_actions")
        #expect(try browser.get("runs").json["runs"].list.isEmpty)
    }

    @Test("are shown and counted while another one begins")
    func beginning() async throws {
        let actions = SlowActions()
        let runs = StartedRuns(actions)
        let replay = RunRequest(.replay, of: [])
        let first = Task.detached { try runs.start(replay, at: 0) }
        await wait(for: "the beginning") { actions.state.withLock { $0 } == .beginning }
        #expect(runs.all.isEmpty)
        #expect(throws: APIError.self) { try runs.start(replay, at: 0) }
        actions.state.withLock { $0 = .goesOn }
        #expect(try await first.value == 1)
        #expect(runs.all.map(\.number) == [1])
        runs.stopAll()
        #expect(throws: APIError.self) { try runs.start(replay, at: 0) }
    }

    @Test("leave out what earlier replays have recorded, unless it is chosen by ids")
    func earlierReplays() throws {
        try FileSystem.makeFolder(folder("replays"))
        try Stored.add(Stored.exchanges, to: folder("replays/replays.db"))
        let actions = NotedActions(recordingFolder: folder("replays"))
        let browser = try Browser([folder("traffic.db")], actions: actions)
        let id = Stored.exchanges[0].id
        for filter in ["", "status == 200", "id in [\\\"\(id)\\\"]"] {
            let body = #"{"kind":"mock","filter":"\#(filter)"}"#
            #expect(try browser.post("runs", body).status == 200, "\(filter)")
        }
        let stores = actions.requests.withLock { $0.map(\.stores) }
        let recording = [folder("traffic.db")]
        #expect(stores == [recording, recording, recording + [folder("replays/replays.db")]])
    }

    @Test("need the cookie, the key, and the page itself")
    func access() throws {
        let actions = NotedActions()
        let browser = try Browser([folder("traffic.db")], actions: actions)
        let json = "Content-Type: application/json"
        for (lines, status) in [
            ([json], 401), ([json, browser.login[0]], 401), ([json, browser.login[1]], 401),
            (browser.login, 415), (browser.login + [json, "Origin: http://evil.test"], 403),
            (browser.login + [json, "Sec-Fetch-Site: cross-site"], 403),
            (browser.login + [json, "Via: 1.1 proxy"], 403),
        ] {
            for path in ["runs", "runs/1/stop"] {
                let answer = try Browser.send(
                    "POST",
                    "/api/\(path)",
                    lines,
                    body: Array(Self.replay.utf8),
                    port: browser.port
                )
                #expect(answer.status == status, "\(lines)")
            }
        }
        #expect(actions.requests.withLock { $0.isEmpty })
    }

    @Test("get the stores, the meaning of the filter, and the options")
    func request() throws {
        let actions = NotedActions()
        let browser = try Browser([folder("traffic.db")], actions: actions)
        #expect(try browser.get("info").json["can"]["actions"].isTrue)
        let answer = try browser.post(
            "runs",
            #"{"kind":"replay","to":"http://h","rate":"5/s","unsafe":true,"filter":"needle"}"#
        )
        #expect(try answer.json["id"].number == 1)
        #expect(try browser.post("runs", #"{"kind":"mock","filter":""}"#).status == 200)
        let requests = actions.requests.withLock { $0 }
        #expect(requests.map(\.kind) == [.replay, .mock])
        #expect(requests.allSatisfy { $0.stores == [folder("traffic.db")] })
        #expect(requests.map(\.filter) == [#"any contains "needle""#, ""])
        #expect(requests[0].target == "http://h" && requests[0].rate == "5/s")
        #expect(requests[0].speed == nil && requests[0].isUnsafe && !requests[1].isUnsafe)
    }

    @Test(
        "are refused with a reason if what is asked for is wrong",
        arguments: [
            (#"{"kind":"other"}"#, 400, "expected replay or mock"), (#"{}"#, 400, "'kind'"),
            (#"{"kind":"replay"}"#, 400, "'to' is missing"),
            (#"{"kind":"mock","filter":"status =="}"#, 400, ""), ("x", 400, "not JSON"),
            (#"{"kind":"replay","to":"http://h","unsafe":1}"#, 400, "expected true or false"),
            (#"{"kind":"replay","to":"http://refused"}"#, 409, "it cannot start"),
        ] as [(String, Int, String)]
    )
    func wrong(_ json: String, _ status: Int, _ message: String) throws {
        let browser = try Browser([folder("traffic.db")], actions: NotedActions())
        let answer = try browser.post("runs", json)
        #expect(answer.status == status)
        #expect(message.isEmpty || answer.text.contains(message), "\(answer.text)")
        #expect(try browser.get("runs").json["runs"].list.isEmpty)
    }

    @Test("are shown until they end, with the differences afterwards")
    func lifetime() throws {
        let browser = try Browser([folder("traffic.db")], actions: NotedActions())
        _ = try browser.post("runs", Self.replay)
        var run = try browser.get("runs").json["runs"][0]
        #expect(run["id"].number == 1 && run["kind"].text == "replay" && run["running"].isTrue)
        #expect(run["to"].text == "http://127.0.0.1:9" && run["lines"][0].text == "3 sent")
        #expect(run["pairs"] == .null)
        #expect(try browser.get("runs/1/differences").status == 404)
        #expect(try browser.post("runs/1/stop", "{}").status == 204)
        run = try browser.get("runs").json["runs"][0]
        #expect(!run["running"].isTrue && run["pairs"].number == 3 && run["differing"].number == 1)
        #expect(try browser.get("runs/1/differences").json["pairs"].number == 3)
        for path in ["runs/2/stop", "runs/x/stop", "runs/99999999999999999999/stop"] {
            #expect(try browser.post(path, "{}").status == 404, "\(path)")
        }
    }

    @Test("are limited: one replay and four mocks at a time, and sixteen in memory")
    func limits() throws {
        let browser = try Browser([folder("traffic.db")], actions: NotedActions())
        #expect(try browser.post("runs", Self.replay).status == 200)
        #expect(try browser.post("runs", Self.replay).text.contains("a replay is running"))
        for _ in 0..<4 { #expect(try browser.post("runs", #"{"kind":"mock"}"#).status == 200) }
        #expect(try browser.post("runs", #"{"kind":"mock"}"#).text.contains("4 mocks are running"))
        _ = try browser.post("runs/1/stop", "{}")
        for number in 6..<26 {
            #expect(try browser.post("runs", Self.replay).json["id"].number == number)
            _ = try browser.post("runs/\(number)/stop", "{}")
        }
        let runs = try browser.get("runs").json["runs"].list
        #expect(runs.count == 16)
        #expect(runs.first?["id"].number == 25)
        #expect(runs.filter { $0["running"].isTrue }.count == 4)
    }

    @Test("are stopped when the inspector ends, and none starts then")
    func ends() throws {
        let runs = StartedRuns(NotedActions())
        _ = try runs.start(RunRequest(.mock, of: []), at: 0)
        runs.stopAll()
        #expect(throws: APIError.self) { try runs.start(RunRequest(.mock, of: []), at: 0) }
        #expect(runs.all.map { $0.run.progress.isRunning } == [false])
    }

    @Test("record in a folder whose databases are shown as soon as they are there")
    func recorded() throws {
        try FileSystem.makeFolder(folder("replays"))
        let actions = NotedActions(recordingFolder: folder("replays"))
        let browser = try Browser([folder("traffic.db")], actions: actions)
        #expect(try browser.rows("")["total"].number == 40)
        try Stored.add(Array(Exchange.examples(43).suffix(3)), to: folder("replays/replays.db"))
        blockingWait(for: "the replayed exchanges") {
            (try? browser.get("info").json["count"].number) == 43
        }
        #expect(try browser.get("info").json["stores"].list.count == 2)
        #expect(try browser.rows("")["total"].number == 43)
    }
}

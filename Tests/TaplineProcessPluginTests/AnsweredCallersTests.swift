// SPDX-License-Identifier: MIT

import Synchronization
import TaplinePlugin
import TaplineProcessPlugin
import TaplineSystem
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("Callers of a plugin's process that read their answers")
struct AnsweredCallersTests {
    private static let hello = #"read line; echo '{"tapline":"hello","protocol":1}'"#

    /// What several callers have got: `keep`, or the text of an error.
    private final class Answers: Sendable {
        private let texts = Mutex<[UInt64: String]>([:])
        var all: [UInt64: String] { texts.withLock { $0 } }

        func note(_ number: UInt64, _ answer: Result<ChildLine.Answer, ProcessPluginError>) {
            let text =
                switch answer {
                case .success(.keep): "keep"
                case .success: "another answer"
                case .failure(let error): error.description
                }
            texts.withLock { $0[number] = text }
        }
    }

    /// The texts of a log, and those that were logged by a given thread.
    private final class Entries: Sendable {
        private let texts = Mutex<[(text: String, thread: UInt)]>([])
        static var thread: UInt { UInt(pthread_self()) }
        var log: Log {
            Log(component: "p") { entry in
                self.texts.withLock { $0.append((entry.message, Self.thread)) }
            }
        }
        func contain(_ text: String) -> Bool {
            texts.withLock { $0.contains { $0.text.contains(text) } }
        }
        func contain(_ text: String, by thread: UInt) -> Bool {
            texts.withLock { $0.contains { $0.text.contains(text) && $0.thread == thread } }
        }
    }

    private func connect(
        _ script: String,
        _ log: Log = .none,
        window: Int = 256,
        timeout: Int64 = 5_000_000
    ) throws -> ProcessConnection {
        var settings = ProcessSettings(
            ["/bin/sh", "-c", "\(Self.hello); \(script)"],
            environment: ["PATH": "/usr/bin:/bin"],
            timeout: timeout
        )
        settings.limits.window = window
        settings.limits.times.restart = 1000
        settings.limits.times.stop = 50_000
        let connection = try ProcessConnection(.wire, id: "p", settings, log: log)
        try connection.open()
        return connection
    }

    private static func line(_ number: UInt64) -> [UInt8] { Array("{\"n\":\(number)}\n".utf8) }

    /// Calls from a thread that waits for the answer.
    private func ask(
        _ connection: ProcessConnection,
        _ answers: Answers
    ) throws -> DedicatedThread {
        let number = connection.number()
        return try DedicatedThread.start {
            do throws(ProcessPluginError) {
                answers.note(number, .success(try connection.ask(number, Self.line(number))))
            } catch {
                answers.note(number, .failure(error))
            }
        }
    }

    @Test("the thread that asks reads its answer itself, without another thread in between")
    func readsItself() throws {
        let entries = Entries()
        let connection = try connect(
            #"read line; printf 'odd\n{"n":1,"keep":true}\n'; read line"#,
            entries.log
        )
        let number = connection.number()
        guard case .keep = try connection.ask(number, Self.line(number)) else {
            Issue.record("it is not kept")
            return
        }
        #expect(entries.contain("output line 2", by: Entries.thread))
        connection.close()
    }

    @Test("each caller gets its own answer, from any reader and in any order")
    func manyCallers() throws {
        let connection = try connect(
            #"""
            read a; read b; read c; read d
            for line in "$d" "$b" "$a" "$c"; do echo "${line%\}},\"keep\":true}"; sleep 0.01; done
            while read line; do case "$line" in *n*) echo "${line%\}},\"keep\":true}" ;; esac; done
            """#
        )
        let answers = Answers()
        for count in [4, 1, 7] {
            let former = answers.all.count
            for thread in try (0..<count).map({ _ in try ask(connection, answers) }) {
                thread.join()
            }
            #expect(answers.all.count == former + count)
        }
        #expect(answers.all.values.allSatisfy { $0 == "keep" }, "\(answers.all)")
        connection.close()
    }

    @Test("a call that waits for room in the window is sent by the thread that reads")
    func fullWindow() throws {
        let connection = try connect(
            #"while read line; do case "$line" in *n*) echo "${line%\}},\"keep\":true}" ;; esac; done"#,
            window: 1
        )
        let answers = Answers()
        for thread in try (0..<8).map({ _ in try ask(connection, answers) }) { thread.join() }
        #expect(answers.all.count == 8 && answers.all.values.allSatisfy { $0 == "keep" })
        connection.close()
    }

    @Test("a child that hangs fails its callers, even if another program keeps its output open")
    func hangs() throws {
        let folder = try TemporaryFolder()
        let connection = try connect(
            """
            if mkdir '\(folder("first"))' 2>/dev/null; then
                setsid sleep 30 & read a; read b; read c; sleep 60
            fi
            while read line; do case "$line" in *n*) echo "${line%?},\\"keep\\":true}" ;; esac; done
            """,
            timeout: 1_500_000
        )
        let answers = Answers()
        let begun = ContinuousClock.now
        for thread in try (0..<3).map({ _ in try ask(connection, answers) }) { thread.join() }
        #expect(ContinuousClock.now - begun < .seconds(25))
        #expect(answers.all.count == 3 && !answers.all.values.contains("keep"), "\(answers.all)")
        try blockingWait(for: "an answer of the next child") {
            try ask(connection, answers).join()
            return answers.all.values.contains("keep")
        }
        connection.close()
    }

    @Test("a call that nobody waits for is answered beside callers that read")
    func unawaited() throws {
        let connection = try connect(
            #"""
            read a; read b; read c
            for line in "$b" "$a" "$c"; do echo "${line%\}},\"keep\":true}"; done
            while read line; do case "$line" in *n*) echo "${line%\}},\"keep\":true}" ;; esac; done
            """#
        )
        let answers = Answers()
        let asker = try ask(connection, answers)
        for _ in 0..<2 {
            let number = connection.number()
            try connection.call(number, Self.line(number), mayWait: true) {
                answers.note(number, $0)
            }
        }
        asker.join()
        blockingWait(for: "the answers") { answers.all.count == 3 }
        try ask(connection, answers).join()
        #expect(answers.all.values.allSatisfy { $0 == "keep" }, "\(answers.all)")
        connection.close()
    }

    @Test("the end of a child that has nothing to answer is noticed at once")
    func endsIdle() throws {
        let entries = Entries()
        let connection = try connect(
            #"read line; echo '{"n":1,"keep":true}'; exit 4"#,
            entries.log
        )
        let answers = Answers()
        try ask(connection, answers).join()
        #expect(answers.all == [1: "keep"])
        blockingWait(for: "the restart", within: .seconds(4)) {
            entries.contain("ended with code 4; it is started again")
        }
        connection.close()
    }

    @Test("a child that says hello as another kind is killed by the thread, and the call fails")
    func secondHello() throws {
        let connection = try connect(
            #"""
            read line; echo '{"tapline":"hello","protocol":1,"kinds":["sink"]}'; sleep 60
            """#
        )
        let answers = Answers()
        try ask(connection, answers).join()
        #expect(answers.all[1]?.contains("is not a wire; it declares: sink") == true)
        connection.close()
    }

    @Test("a stop fails the calls of callers that read or wait")
    func stop() throws {
        let connection = try connect("while :; do sleep 1; done", window: 1)
        let answers = Answers()
        let threads = [try ask(connection, answers), try ask(connection, answers)]
        connection.close()
        for thread in threads { thread.join() }
        #expect(answers.all.count == 2 && !answers.all.values.contains("keep"), "\(answers.all)")
    }
}

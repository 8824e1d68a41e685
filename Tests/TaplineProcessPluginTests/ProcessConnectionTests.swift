// SPDX-License-Identifier: MIT

import Synchronization
import TaplineOperations
import TaplinePlugin
import TaplineProcessPlugin
import TaplineSystem
import Testing

@Suite("A plugin's process")
struct ProcessConnectionTests {
    /// The text of all log entries.
    private final class Entries: Sendable {
        private let texts = Mutex<[String]>([])
        var all: String { texts.withLock { $0.joined(separator: "\n") } }
        var log: Log {
            Log(component: "p") { entry in self.texts.withLock { $0.append(entry.message) } }
        }
    }

    private static let hello = #"{"tapline":"hello","protocol":1,"name":"t","kinds":["stage"]}"#

    private func connect(
        _ script: String,
        _ entries: Entries,
        timeout: Int64 = 5_000_000,
        stopTimeout: Int64 = 2_000_000,
        window: Int = 256
    ) throws -> ProcessConnection {
        var settings = ProcessSettings(
            ["/bin/sh", "-c", script],
            environment: ["PATH": "/usr/bin:/bin"],
            timeout: timeout
        )
        settings.limits.times.stop = stopTimeout
        settings.limits.window = window
        return try ProcessConnection(.stage, id: "p", settings, log: entries.log)
    }

    private func ask(_ connection: ProcessConnection) throws -> ChildLine.Answer {
        let number = connection.number()
        return try connection.ask(number, Array("{\"n\":\(number),\"record\":{}}\n".utf8))
    }

    @Test("it says hello, answers, and ends at the end of its input; its errors are in the log")
    func converses() throws {
        let entries = Entries()
        let connection = try connect(
            """
            read line; echo '\(Self.hello)'; printf 'note\\033\\n' >&2
            read line; echo '{"n":1,"keep":true}'
            read line; echo "end: $line" >&2
            """,
            entries
        )
        try connection.open()
        guard case .keep = try ask(connection) else {
            Issue.record("it is not kept")
            return
        }
        connection.close()
        #expect(entries.all.contains("stderr: note\\x1b"))
        #expect(entries.all.contains(#"end: {"tapline":"end"}"#))
    }

    @Test(
        "a process that does not say hello is an error that says why",
        arguments: [
            ("exit 3", "has ended with code 3"),
            ("read line; echo nonsense; sleep 9", "say hello first; output line 1"),
            (#"echo '{"tapline":"hello","protocol":7}'; sleep 9"#, "found 7, expected 1"),
            (
                #"echo '{"tapline":"hello","protocol":1,"kinds":["sink"]}'; sleep 9"#,
                "is not a stage; it declares: sink"
            ),
        ]
    )
    func noHello(script: String, expected: String) throws {
        let connection = try connect(script, Entries())
        let error = #expect(throws: ProcessPluginError.self) { try connection.open() }
        #expect(error?.description.contains(expected) == true, "\(error as Any)")
    }

    @Test("the name and the version of the program are logged at its start, and kept")
    func logsName() throws {
        let entries = Entries()
        let script = #"""
            read line
            echo '{"tapline":"hello","protocol":1,"name":"tag-slow","version":"1.0"}'; read line
            """#
        let settings = ProcessSettings(["/bin/sh", "-c", script], environment: ["PATH": "/bin"])
        let connection = try ProcessConnection(.stage, id: "p", settings, log: entries.log)
        #expect(settings.program.current == nil)
        try connection.open()
        connection.close()
        #expect(entries.all.contains("the plugin is running: tag-slow 1.0"))
        let program = ComponentProgram(name: "tag-slow", version: "1.0")
        #expect(settings.program.current == program)
    }

    @Test("lines of no use are logged with their number, and the call is still answered")
    func oddLines() throws {
        let entries = Entries()
        let connection = try connect(
            """
            read line; echo '\(Self.hello)'; read line
            echo 'secret-value'; echo '{"n":99,"keep":true}'; echo '{"n":1,"keep":true}'
            echo '{"n":1,"keep":true}'; read line
            """,
            entries
        )
        try connection.open()
        _ = try ask(connection)
        connection.close()
        for text in ["output line 2", "no call 99", "output line 5", "answered before"] {
            #expect(entries.all.contains(text), "\(text)")
        }
        #expect(!entries.all.contains("secret-value"))
    }

    @Test("a wrong answer fails its call at once")
    func wrongAnswer() throws {
        let connection = try connect(
            """
            read line; echo '\(Self.hello)'; read line; echo '{"n":1,"record":{}}'; read line
            """,
            Entries()
        )
        try connection.open()
        let error = #expect(throws: ProcessPluginError.self) { try ask(connection) }
        #expect(error?.description.contains("wrong answer") == true)
        connection.close()
    }

    @Test("a process that dies fails the call that it had, and the next one answers")
    func restarts() throws {
        let entries = Entries()
        let connection = try connect(
            """
            read line; echo '\(Self.hello)'; read line
            case "$line" in *'"n":1,'*) exit 1 ;; esac
            echo '{"n":2,"keep":true}'; read line
            """,
            entries
        )
        try connection.open()
        let error = #expect(throws: ProcessPluginError.self) { try ask(connection) }
        #expect(error?.description.contains("ended with code 1") == true)
        guard case .keep = try ask(connection) else {
            Issue.record("the next process does not answer")
            return
        }
        connection.close()
        #expect(entries.all.contains("started again"))
    }

    @Test("a process that does not end is left to a thread, and the next user waits for it")
    func leavesEnd() throws {
        let (entries, ending) = (Entries(), EndingThreads())
        let script = "read line; echo '\(Self.hello)'; sleep 60"
        let connection = try connect(script, entries, stopTimeout: 100_000)
        let text = "has not ended in time"
        try connection.open()
        connection.close(leavingTo: ending)
        #expect(!entries.all.contains(text))
        try connection.open()
        #expect(entries.all.contains(text))
        connection.close(leavingTo: ending)
        ending.join()
        #expect(entries.all.split(separator: "\n").filter { $0.contains(text) }.count == 2)
        #expect(ending.isEmpty)
    }

    @Test("a thread that waits for room gives up when a stop is due")
    func stopWhileFull() throws {
        let script = "read line; echo '\(Self.hello)'; sleep 60"
        let connection = try connect(script, Entries(), stopTimeout: 50_000, window: 1)
        try connection.open()
        let deadline = StopDeadline()
        deadline.set(SteadyClock.microseconds + 1000)
        let error = #expect(throws: ProcessPluginError.self) {
            // One is sent, one waits.
            for number in UInt64(1)...3 {
                try connection.call(number, [0x0A], mayWait: true, until: deadline) { _ in }
            }
        }
        #expect(error?.description == "too many calls wait")
        connection.close()
    }

    @Test("a process that hangs is killed with its children")
    func hangs() throws {
        let connection = try connect(
            "read line; echo '\(Self.hello)'; sleep 60 & sleep 60",
            Entries(),
            timeout: 50_000
        )
        try connection.open()
        let begun = ContinuousClock.now
        #expect(throws: ProcessPluginError.self) { try ask(connection) }
        connection.close()
        #expect(ContinuousClock.now - begun < .seconds(5))
    }
}

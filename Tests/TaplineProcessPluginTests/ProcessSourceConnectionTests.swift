// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineProcessPlugin
import TaplineSystem
import TestSupport
import Testing

@Suite("A source's process")
struct ProcessSourceConnectionTests {
    /// Counts what the program hands over.
    private final class Receiver: ProcessReceiver {
        struct State {
            var taken = 0
            var rejected = 0
            var hasEnded = false
            var error: ProcessPluginError?
        }

        private let state = Mutex(State())
        private let signal: WakeSignal

        init() throws { signal = try WakeSignal() }

        /// The counts when the source has ended, or after ten seconds.
        func ended() -> State {
            signal.wait(milliseconds: 10_000)
            return state.withLock { $0 }
        }

        func receive(_ exchange: consuming Exchange) { state.withLock { $0.taken += 1 } }

        func rejected() { state.withLock { $0.rejected += 1 } }

        func pause() -> Bool { true }

        func ended(_ error: ProcessPluginError?) {
            state.withLock { state in
                state.hasEnded = true
                state.error = error
            }
            signal.give()
        }
    }

    private static let hello = #"{"tapline":"hello","protocol":1,"kinds":["source"]}"#
    private static let record =
        #"{"v":1,"request":{"method":"GET","url":"https://shop.test/"},"response":{"status":200}}"#

    /// Runs a program until it has ended; returns the counts and the texts of the log.
    private func run(
        _ script: String,
        maxRestarts: Int = 0,
        maxConfirmations: Int = 1 << 20
    ) throws -> (counts: Receiver.State, log: String) {
        let texts = Mutex<[String]>([])
        let log = Log(component: "p") { entry in texts.withLock { $0.append(entry.message) } }
        var settings = ProcessSettings(
            ["/bin/sh", "-c", "read line; echo '\(Self.hello)'; \(script)"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        settings.maxRestarts = maxRestarts
        settings.maxConfirmations = maxConfirmations
        let receiver = try Receiver()
        let connection = try ProcessConnection(
            .source,
            id: "p",
            settings,
            log: log,
            receiver: receiver
        )
        try connection.open()
        let counts = receiver.ended()
        connection.close()
        return (counts, texts.withLock { $0.joined(separator: "\n") })
    }

    @Test("a program that exits with code 0 has ended its input")
    func exitsWithSuccess() throws {
        let (counts, _) = try run(#"echo '{"record":\#(Self.record)}'; exit 0"#)
        #expect(counts.hasEnded && counts.taken == 1)
        #expect(counts.error == nil, "\(counts.error as Any)")
    }

    @Test("a program that says 'end' gets its confirmations and the end of its input")
    func endsInput() throws {
        let (counts, log) = try run(
            #"""
            echo '{"n":1,"record":\#(Self.record)}'; echo '{"tapline":"end"}'
            while read line; do echo "then: $line" >&2; done
            """#
        )
        #expect(counts.hasEnded && counts.taken == 1)
        #expect(counts.error == nil, "\(counts.error as Any)")
        #expect(log.contains(#"then: {"n":1,"ok":true}"#))
        #expect(log.contains(#"then: {"tapline":"end"}"#))
    }

    @Test("a record that cannot be read is counted, and answered with an error")
    func rejectedRecord() throws {
        let (counts, log) = try run(
            #"""
            echo '{"n":7,"record":{}}'; read line; echo "answer: $line" >&2
            echo 'nonsense'; echo '{"n":8,"record":\#(Self.record)}'
            read line; echo "answer: $line" >&2
            """#
        )
        #expect(counts.hasEnded && counts.taken == 1 && counts.rejected == 2)
        #expect(log.contains(#"answer: {"n":7,"error":"not a record"}"#))
        #expect(log.contains(#"answer: {"n":8,"ok":true}"#))
        #expect(!log.contains("there is no call"))
    }

    @Test("a program that does not read its confirmations is not read until it does")
    func unreadConfirmations() throws {
        let script = """
            import os, select, sys, threading
            text = b"".join(b'{"n":%d}\\n' % n for n in range(1000000, 1032000))
            os.set_blocking(1, False)
            at = 0
            while at < len(text) and select.select([], [1], [], 0.2)[1]:
                at += os.write(1, text[at:at + 4096])
            print("all is read" if at == len(text) else "it waits", file=sys.stderr, flush=True)
            os.set_blocking(1, True)
            answers = []
            reader = threading.Thread(target=lambda: answers.extend(sys.stdin))
            reader.start()
            while at < len(text):
                at += os.write(1, text[at:at + 4096])
            os.write(1, b'{"tapline":"end"}\\n')
            reader.join()
            print("answers:", len(answers) - 1, file=sys.stderr, flush=True)
            """
        let folder = try TemporaryFolder()
        let program = try folder.write(script, to: "flood.py")
        let (counts, log) = try run(
            "exec /usr/bin/python3 '\(program)'",
            maxConfirmations: 10_000
        )
        #expect(counts.hasEnded && counts.rejected == 32_000)
        #expect(log.contains("it waits"))
        #expect(log.contains("answers: 32000"))
    }

    @Test("a program that exits with another code has failed")
    func exitsWithFailure() throws {
        let (counts, _) = try run("exit 3")
        #expect(counts.hasEnded)
        #expect(counts.error?.description.contains("ended with code 3") == true)
    }
}

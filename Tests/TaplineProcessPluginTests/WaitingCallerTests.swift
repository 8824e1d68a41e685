// SPDX-License-Identifier: MIT

import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineProcessPlugin

@Suite("A thread that waits for the answer of a plugin's process")
struct WaitingCallerTests {
    /// The output of a program that writes nothing until it is killed.
    private func withOutput(_ body: (ChildOutput) throws -> Void) throws {
        let settings = ProcessSettings(["/bin/cat"])
        let connection = try ProcessConnection(.wire, id: "p", settings, log: .none)
        let program = try BidirectionalProcess(settings.words, environment: [:])
        defer { _ = program.kill() }
        try body(ChildOutput(program.output, of: connection, FirstHello()))
    }

    private func isKept(_ step: WaitingCaller.Step) -> Bool {
        if case .done(.success(.keep)) = step { true } else { false }
    }

    private func reads(_ output: ChildOutput, _ step: WaitingCaller.Step) -> Bool {
        if case .read(let found) = step { found === output } else { false }
    }

    @Test("it reads, until it has its answer")
    func reads() throws {
        try withOutput { output in
            let caller = WaitingCaller()
            caller.read(output)
            #expect(reads(output, caller.next()) && reads(output, caller.next()))
            let helper = try DedicatedThread.start { caller.settle(.success(.keep)) }
            // Another thread's answer ends the wait.
            output.stream.wait()
            helper.join()
            #expect(isKept(caller.next()))
            caller.read(output)
            caller.stopReading(output)
            #expect(isKept(caller.next()))
        }
    }

    @Test("it sleeps until it reads or has its answer")
    func sleeps() throws {
        try withOutput { output in
            let caller = WaitingCaller()
            var helper = try DedicatedThread.start { caller.read(output) }
            #expect(reads(output, caller.next()))
            helper.join()
            caller.stopReading(output)
            helper = try DedicatedThread.start { caller.settle(.success(.keep)) }
            #expect(isKept(caller.next()))
            helper.join()
        }
    }

    @Test("only the end of the output that it reads ends its reading")
    func otherOutput() throws {
        try withOutput { old in
            try withOutput { output in
                let caller = WaitingCaller()
                caller.read(output)
                caller.stopReading(old)
                #expect(reads(output, caller.next()))
            }
        }
    }
}

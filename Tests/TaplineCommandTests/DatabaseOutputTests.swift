// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineModel
import TaplinePlugin
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("A database that a command writes")
struct DatabaseOutputTests {
    private func invocation(_ registry: PluginRegistry = .builtIn) -> Invocation {
        Invocation(
            program: TaplineCommand.program,
            registry: registry,
            environment: .init(),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
    }

    @Test("counts new exchanges and duplicates", arguments: [true, false])
    func counts(isNew: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        let output = try DatabaseOutput(path, invocation(), isNew: isNew)
        var chain = RecordChain(digests: output.needsDigests)
        for number in [0, 1, 0] {
            guard case .sealed(let record) = chain.seal(.example(number)) else { continue }
            try output.write(record)
        }
        #expect(output.counts.written == 0)
        try output.finish()
        #expect(output.counts.written == 2 && output.counts.duplicates == 1)
        #expect(output.counts.refused == 0)
        let database = try SQLiteConnection(path: path)
        #expect(try database.integer("SELECT count(*) FROM exchanges") == 2)
        try database.close()
    }

    @Test("stops at the error of a batch, and keeps the batches before it")
    func failure() throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        let output = try DatabaseOutput(path, invocation(), isNew: false)
        let database = try SQLiteConnection(path: path)
        try database.execute(
            """
            CREATE TRIGGER full BEFORE INSERT ON exchanges WHEN new.seq > 9000
              BEGIN SELECT raise(ABORT, 'it is full'); END
            """
        )
        var chain = RecordChain(digests: output.needsDigests)
        let error = #expect(throws: SinkError.self) {
            for number in 0..<40_000 {
                guard case .sealed(let record) = chain.seal(.example(number)) else { continue }
                try output.write(record)
            }
            try output.finish()
        }
        #expect(error?.message.contains("it is full") == true)
        output.abandon()
        #expect(throws: SinkError.self) { try output.finish() }
        #expect(output.counts.written > 0 && output.counts.written <= 9000)
        let stored = try database.integer("SELECT count(*) FROM exchanges")
        #expect(stored == Int64(output.counts.written))
        try database.close()
    }

    @Test("needs the sink 'sqlite'")
    func sink() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: UsageError.self) {
            _ = try DatabaseOutput(folder("traffic.db"), invocation(PluginRegistry()), isNew: true)
        }
        #expect(error?.message == "this program is built without the sink 'sqlite'")
    }
}

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

@Suite("A store that a command makes")
struct NewStoreTests {
    private func write(_ number: Int, to store: NewStore) throws {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(.example(number)) else { return }
        try store.write(record)
    }

    @Test("does not get its name while rows are only in the log")
    func log() throws {
        let folder = try TemporaryFolder()
        let invocation = Invocation(
            program: TaplineCommand.program,
            registry: .builtIn,
            environment: .init(),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
        let store = try NewStore(folder("new.db"), invocation, UnfinishedStores())
        try write(0, to: store)
        try store.prepare()
        // As long as another connection is open, closing the sink does not empty the log.
        let other = try SQLiteConnection(path: store.temporary)
        #expect(try other.integer("SELECT count(*) FROM exchanges") == 1)
        try write(1, to: store)
        let error = #expect(throws: (any Error).self) { try store.finish() }
        #expect(error.map { "\($0)" }?.contains("its log cannot be emptied") == true)
        #expect(try FileSystem.status(of: folder("new.db")) == nil)
        try other.close()
        try store.finish()
        #expect(store.count == 2)
        #expect(try FileSystem.names(in: folder.path) == ["new.db"])
    }
}

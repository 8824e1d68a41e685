// SPDX-License-Identifier: MIT

import TaplinePlugin
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct StoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func batchIsAtomic() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<5) { Exchanges.text($0) })
        // A trigger simulates a failure in the middle of a batch.
        _ = try Shell.execute(
            path,
            """
            CREATE TRIGGER stop BEFORE INSERT ON exchanges WHEN NEW.seq = 9
              BEGIN SELECT RAISE(ABORT, 'stop'); END
            """
        )
        let records = try Exchanges.records(5..<15) { Exchanges.text($0 - $0 % 2) }
        #expect(throws: SinkError.self) { try sink.write(records) }
        #expect(
            try Shell.query(path, "SELECT count(*), (SELECT count(*) FROM bodies) FROM exchanges")
                == "5|5"
        )
        _ = try Shell.execute(path, "DROP TRIGGER stop")
        #expect(try sink.write(records) == .written)
        try sink.close()
        #expect(
            try Shell.query(
                path,
                """
                SELECT count(*), sum(response_body = '{"number":' ||
                  (seq - 1 - iif(seq > 5, (seq - 1) % 2, 0)) || substr(response_body,
                    instr(response_body, ',')))
                  FROM traffic
                """
            ) == "15|15"
        )
    }

    @Test func readersDoNotBlockWriting() throws {
        let sink = try SQLiteSink(path) { $0.busyTimeout = .milliseconds(50) }
        _ = try sink.write(Exchanges.records(0..<10))
        let reader = try OpenShell(path)
        try reader.run("BEGIN; SELECT count(*) FROM exchanges")
        _ = try sink.write(Exchanges.records(10..<20))
        #expect(try Shell.query(path, "SELECT count(*) FROM traffic") == "20")
        try reader.run("COMMIT")
        try sink.close()
    }

    @Test func otherWritersAreDetected() throws {
        let first = try SQLiteSink(path)
        let second = try SQLiteSink(path)
        _ = try first.write(Exchanges.records(0..<10) { Exchanges.text($0) })
        _ = try second.write(Exchanges.records(5..<15) { Exchanges.text($0) })
        #expect(
            try first.write(Exchanges.records(5..<20) { Exchanges.text($0) }).duplicates == 10
        )
        #expect(
            try second.write(Exchanges.records(20..<40) { Exchanges.text($0 - 20) })
                .duplicates == 0
        )
        try first.close()
        try second.close()
        #expect(try Shell.query(path, "SELECT count(*) FROM bodies") == "20")
        #expect(try Shell.query(path, "SELECT count(*), max(seq) FROM exchanges") == "40|40")
    }
}

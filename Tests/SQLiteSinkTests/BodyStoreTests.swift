// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineModel
import TaplinePlugin
import TaplineSQL
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct BodyStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private var bodies: String {
        get throws { try Shell.query(path, "SELECT count(*), count(DISTINCT hash) FROM bodies") }
    }

    private var indexed: String {
        get throws { try Shell.query(path, "SELECT count(*) FROM body_index") }
    }

    @Test func equalBodiesAreStoredOnce() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<100) { Exchanges.text($0 % 10) })
        _ = try sink.write(Exchanges.records(100..<200) { Exchanges.text($0 % 10) })
        try sink.close()
        #expect(try bodies == "10|10")
        #expect(
            try Shell.query(
                path,
                "SELECT response_body FROM traffic WHERE seq = 118"
            ) == Exchanges.text(7)
        )
    }

    @Test func smallBodiesStayInTheRow() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<10) { "{\"ok\":\($0)}" })
        try sink.close()
        #expect(try bodies == "0|0")
        #expect(
            try Shell.query(path, "SELECT json_extract(response_body, '$.ok') FROM traffic")
                == (0..<10).map { "\($0)" }.joined(separator: "\n")
        )
    }

    /// Merged bodies are found whether or not the whole set fits in memory.
    @Test(arguments: [1 << 20, 16_384])
    func setSurvivesTheRun(memory: Int) throws {
        func write(_ numbers: Range<Int>) throws {
            let sink = try SQLiteSink(path) {
                $0.mergeCount = 1000
                $0.bodySetMemory = memory
            }
            for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 300) {
                let batch = start..<min(start + 300, numbers.upperBound)
                _ = try sink.write(
                    Exchanges.records(batch) { Exchanges.text($0 % 2500, bytes: 80) }
                )
            }
            try sink.close()
        }
        try write(0..<2500)
        #expect(try bodies == "2500|2500")
        #expect(try indexed == "2400")
        try write(2500..<5000)
        #expect(try bodies == "2500|2500")
        #expect(
            try Shell.query(
                path,
                """
                SELECT count(*) FROM traffic a JOIN traffic b ON b.seq = a.seq + 2500
                  WHERE a.response_body_id = b.response_body_id
                """
            ) == "2500"
        )
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
    }

    @Test func bodiesWithEqualKeysAreDistinguished() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<1) { _ in Exchanges.text(0) })
        try sink.close()
        // Another body with the same first eight bytes of the hash.
        let connection = try SQLiteConnection(path: path)
        let digest = SHA256.hash(Exchanges.text(0))
        let change = try connection.prepare("UPDATE bodies SET hash = ?1, content = 'other'")
        let other = Digest(digest.word0, 0, 0, 0).bytes
        try change.bind(1, blob: other.span)
        try change.run()
        let again = try SQLiteSink(path)
        _ = try again.write(Exchanges.records(1..<2) { _ in Exchanges.text(0) })
        try again.close()
        #expect(
            try Shell.query(path, "SELECT response_body FROM traffic")
                == "other\n\(Exchanges.text(0))"
        )
    }

    @Test func shellDecompressesBodies() throws {
        let sink = try SQLiteSink(path) { $0.compress = true }
        let body = Exchanges.text(1, bytes: 3000)
        _ = try sink.write(Exchanges.records(0..<1) { _ in body })
        try sink.close()
        #expect(try Shell.query(path, "SELECT text FROM body_texts") == body)
        let kept = try Shell.query(path, "SELECT length(content), size FROM bodies")
            .split(separator: "|")
        #expect(Int(kept[0]) ?? .max < 300)
        #expect(kept[1] == "3000")
        try Shell.run(
            """
            cd '\(folder.path)' && sqlite3 traffic.db \
              "SELECT writefile('body', sqlar_uncompress(content, size)) FROM bodies"
            """
        )
        #expect(try Shell.run("cat '\(folder.path)/body'") == body)
    }
}

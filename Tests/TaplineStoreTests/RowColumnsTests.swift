// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The columns of a row")
struct RowColumnsTests {
    private static let fields = [
        "id", "source", "state", "method", "url", "scheme", "host", "port", "path", "route",
        #"query["x"]"#, "status", "status_class", "client", "server", "duration", "started",
        "error", "correlation", "content_type", #"tag["team"]"#, "request.version",
        "response.version", "tls.version", #"request.header["accept"]"#,
        #"response.header["content-type"]"#, #"request.cookie["a"]"#, #"response.cookie["a"]"#,
        "request.body", "response.body", #"request.json["$.a"]"#, #"response.json["$.ok"]"#,
        #"json["$.ok"]"#, "message.text", "request.size", "response.size", "bytes.up",
        "bytes.down", "note", "mark", "grpc.service", "grpc.method", "grpc.status",
    ]

    @Test("that a field uses are enough for its value", arguments: fields)
    func values(text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        let exchanges = Varied.exchanges(60, seed: 7) + [.whole(100), .example(101)]
        try Written.database(exchanges, at: path)
        let reader = try #require(try DatabaseReader(path))
        let field = try #require(try FieldReference.list(text).first)
        let narrow = try reader.rowStatement(RowColumns(usedBy: [field.field]))
        let whole = try reader.rowStatement(.all)
        for number in 1...Int64(exchanges.count) {
            let found = try reader.snapshot { try reader.exchange(number, narrow) }
            let expected = try reader.snapshot { try reader.exchange(number, whole) }
            let wanted = try #require(expected)
            #expect(found?.key == wanted.key)
            #expect(
                found.map { field.value(in: $0.exchange) } == field.value(in: wanted.exchange),
                "row \(number)"
            )
        }
    }

    @Test("have a place in a statement only if they are read")
    func layout() {
        let layout = RowLayout(RowColumns(of: .target, .extra))
        #expect(layout.selection == "e.seq, e.id, e.started, e.target, e.extra")
        #expect(layout[.target] == 3)
        #expect(layout[.extra] == 4)
        #expect(layout[.method] == nil)
        #expect(RowColumns(StoreParts.all) == .all)
        #expect(!RowColumns([] as StoreParts).contains(RowColumn.fields))
        #expect(RowColumns([] as StoreParts).contains(RowColumn.errorMessage))
    }

    @Test(
        "are those of the residue, if memory decides every row",
        arguments: [
            (#"path ~ "x""#, RowColumns(of: .target)),
            (#"method ~ "G" and status == 200"#, RowColumns(of: .method)),
            (#"host ~ "shop""#, RowColumns(of: .host)),
            (
                #"duration > 1s and (server ~ "^10" or path ~ "a")"#,
                RowColumns(of: .server, .target)
            ),
        ]
    )
    func residue(text: String, columns: RowColumns) throws {
        let query = RowQuery(StoreQuery(try Filter(text)), schema: 2)
        #expect(query.reading == .residue)
        #expect(query.needed.columns == columns)
        let decided = RowQuery(StoreQuery(try Filter("status == 200")), schema: 2)
        #expect(decided.reading == .wanted)
        #expect(decided.needed.columns.isEmpty)
    }

    @Test(
        "of the request line give the same matches as whole exchanges",
        arguments: [
            #"path ~ "[02468]$""#, #"not path ~ "e""#, #"method ~ "^(GET|PUT)$" and not url ~ "a""#,
            #"host ~ "shop" or path ~ "users""#, #"request.version ~ "2$""#,
            #"query["x"] ~ ".""#, #"route ~ "id""#, #"port == 443 or path ~ "x""#,
            #"id ~ "[0-7]$""#,
        ]
    )
    func line(text: String) throws {
        let folder = try TemporaryFolder()
        let exchanges = Varied.exchanges(300, seed: 3) + [.whole(400)]
        try Written.database(exchanges, at: folder("traffic.db"))
        let store = try Store(folder("traffic.db"))
        let filter = try Filter(text)
        var wanted: [ExchangeID] = []
        try store.forEach(StoreQuery(order: .oldestFirst)) {
            if filter.matches($0.exchange) { wanted.append($0.key.id) }
        }
        #expect(try store.count(filter) == wanted.count)
        for parts in [[], .all] as [StoreParts] {
            var found: [ExchangeID] = []
            try store.forEach(StoreQuery(filter, order: .oldestFirst, parts: parts)) {
                #expect(filter.matches($0.exchange))
                found.append($0.key.id)
            }
            #expect(found == wanted)
        }
    }
}

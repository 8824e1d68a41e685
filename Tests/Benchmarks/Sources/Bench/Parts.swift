// SPDX-License-Identifier: MIT

internal import CAllocations
internal import LuaStage
internal import RedactStage
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineSystem

/// One part, called many times in this process.
struct PartResult {
    let name: String
    let calls: Int
    let usage: Usage
    /// The number of allocations of all calls.
    let allocations: Int
}

/// The parts of a pipeline, measured separately on one thread.
struct Parts {
    private let lines: [[UInt8]]
    let exchanges: [Exchange]
    private let records: [Record]
    private let entries: [[UInt8]]
    let rounds: Int
    private let only: String
    /// The folder for files that parts read.
    let files: WorkFiles

    /// Creates parts for some thousand records, which are repeated for `count` calls in total.
    ///
    /// Only parts whose names contain `only` run; after `=`, only the part with exactly that name.
    init(count: Int, only: String = "", files: WorkFiles) {
        self.only = only
        self.files = files
        let number = min(count, 2000)
        rounds = max(1, count / number)
        var generator = RecordGenerator(.plain)
        var lines: [[UInt8]] = []
        var exchanges: [Exchange] = []
        var reader = NDJSONReader()
        for position in 0..<number {
            var line: [UInt8] = []
            generator.append(position, to: &line)
            do { exchanges.append(try reader.read(line.span)) } catch {
                fail("no record: \(error)")
            }
            lines.append(line)
        }
        self.lines = lines
        self.exchanges = exchanges
        records = exchanges.map(Self.sealed)
        var writer = HARWriter()
        writer.begin(version: "1")
        // The writer writes the head of the file with the first record.
        for record in records.prefix(1) { writer.write(record) }
        entries = records.map { record in
            writer.removeAll()
            writer.write(record)
            return Array(Array(copying: writer.bytes).drop { $0 == 0x2C || $0 == 0x0A })
        }
    }

    private static func sealed(_ exchange: Exchange) -> Record {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else { fail("not sealed") }
        return record
    }

    /// Calls a part for each record in each round; with `every`, only in every such round.
    func measure(
        _ name: String,
        every step: Int = 1,
        _ body: (Int) -> Void
    ) -> PartResult? {
        let isWanted = only.isEmpty || name.contains(only) || "=\(name)" == only
        guard isWanted else { return nil }
        for position in 0..<min(100, lines.count) { body(position) }
        let rounds = max(1, rounds / step)
        let before = Int(tapline_allocations())
        let usage = Usage.of {
            for _ in 0..<rounds { for position in lines.indices { body(position) } }
        }
        return PartResult(
            name: name,
            calls: rounds * lines.count,
            usage: usage,
            allocations: Int(tapline_allocations()) - before
        )
    }

    /// Runs all parts, and calls `row` after each one.
    func run(_ row: (PartResult?) -> Void) {
        runFormats(row)
        runFields(row)
        runFilters(row)
        runStages(row)
        runProvenance(row)
        runRedaction(row)
        runHooks(row)
        runRules(row)
        runDetection(row)
        runHTTP(row)
        runHTTP2(row)
        runTLS(row)
    }

    private func runFormats(_ row: (PartResult?) -> Void) {
        var reader = NDJSONReader()
        row(
            measure("read a record of NDJSON") { position in
                let line = lines[position]
                do { _ = try reader.read(line.span) } catch { fail("not read: \(error)") }
            }
        )
        var writer = NDJSONWriter()
        row(
            measure("write a record of NDJSON") { position in
                if writer.count > 1 << 16 { writer.removeAll() }
                writer.write(records[position])
            }
        )
        var archive = HARReader()
        row(
            measure("read an entry of HAR") { position in
                let entry = entries[position]
                do { _ = try archive.read(entry.span) } catch { fail("not read: \(error)") }
            }
        )
        var entryWriter = HARWriter()
        entryWriter.begin(version: "1")
        row(
            measure("write an entry of HAR") { position in
                if entryWriter.count > 1 << 16 { entryWriter.removeAll() }
                entryWriter.write(records[position])
            }
        )
        row(measure("copy and seal an exchange") { _ = Self.sealed(exchanges[$0]) })
    }

    private func runFields(_ row: (PartResult?) -> Void) {
        let names = (0..<20).map { "X-Field-Name-\($0)" }
        row(
            measure("append 20 fields") { _ in
                var section = FieldSection()
                for name in names { section.append(name: name, value: "value of the field") }
                if section.count != 20 { fail("not 20 fields") }
            }
        )
        var full = FieldSection()
        for name in names { full.append(name: name, value: "value of the field") }
        row(
            measure("find the last of 20 fields") { _ in
                if full.firstIndex(of: "x-field-name-19") != 19 { fail("not found") }
            }
        )
        row(
            measure("set one of 20 fields in a copy") { _ in
                var copy = full
                copy.set("x-field-name-7", to: "another value")
                if copy.count != 20 { fail("not 20 fields") }
            }
        )
    }

    private func runFilters(_ row: (PartResult?) -> Void) {
        for text in [
            "status >= 500", #"host like "*.shop.test" and method == "POST""#,
            #"path ~ "^/items/[0-9]+$" and not request.header["x-none"] exists"#,
        ] {
            guard let filter = try? Filter(text) else { fail("no filter: \(text)") }
            var matches = 0
            row(
                measure("filter `\(text)`") { position in
                    if filter.matches(exchanges[position]) { matches += 1 }
                }
            )
        }
    }

    private func runStages(_ row: (PartResult?) -> Void) {
        guard let redact = try? StagePlugin.redact.stage("{}") as? any RecordStage else {
            fail("redact cannot be created")
        }
        let code =
            "function record(ex) ex.request.headers['X-Bench'] = '1' "
            + "if ex.request.path == '/' then ex.tags.root = '1' end end"
        guard let lua = try? StagePlugin.lua.stage("{ code: \"\(code)\" }") as? any RecordStage
        else { fail("lua cannot be created") }
        for (name, stage) in [("redact, standard", redact), ("lua, one hook", lua)] {
            row(
                measure(name) { position in
                    var exchange = exchanges[position]
                    var context = ExchangeContext()
                    guard (try? stage.record(&exchange, &context)) != nil else { fail("threw") }
                }
            )
        }
    }
}

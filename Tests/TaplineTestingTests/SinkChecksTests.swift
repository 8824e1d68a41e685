// SPDX-License-Identifier: MIT

import Glibc
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

/// A sink that writes the id of each record on a line, with one fault.
private struct LineSink: SinkFactory {
    enum Fault: Equatable {
        case none
        case readableByAll
        case forgetsFirst
        case reversed
        case opensEmpty
        case opensEmptyAnew
        case refusesOddities
        case countsDuplicates
        case talks
        case writesHalf
        case holdsBack
        case hangs
    }

    let folder: String
    let fault: Fault
    var path: String { "\(folder)/out.txt" }

    func open(_ context: SinkContext) throws -> any Sink {
        if fault == .opensEmpty { _ = try File(path, for: .replace) }
        if fault == .readableByAll {
            _ = try File(path, for: .append)
            unsafe chmod(path, 0o644)
        }
        return Open(self, context.log)
    }

    private final class Open: Sink {
        let settings: LineSink
        let log: Log
        var file: File
        var held: [Record] = []
        var isFirst = true

        init(_ settings: LineSink, _ log: Log) {
            self.settings = settings
            self.log = log
            file = (try? File(settings.path, for: .append)) ?? .standardError
        }

        func write(_ batch: [Record]) throws -> WriteResult {
            var batch = batch
            let fault = settings.fault
            switch fault {
            case .forgetsFirst where isFirst && !batch.isEmpty:
                batch.removeFirst()
                isFirst = false
            case .reversed: batch.reverse()
            // Longer than the patience of the checks in this case.
            case .hangs: sleep(2)
            case .refusesOddities where batch.contains { $0.exchange.response?.status == -1 }:
                throw SinkError(.refused, "no such status")
            case .talks: log.debug("writes \(batch.first?.exchange.request.target ?? "")")
            case .holdsBack:
                held += batch
                return .written
            default: break
            }
            try store(batch)
            return WriteResult(duplicates: fault == .countsDuplicates ? batch.count + 1 : 0)
        }

        private func store(_ batch: [Record]) throws {
            let size = try file.status().size
            var rest = batch[...]
            if settings.fault == .writesHalf, rest.count > 1 {
                try append(rest.prefix(rest.count / 2))
                rest = rest.dropFirst(rest.count / 2)
            }
            if try FileSystem.status(of: "\(settings.folder)/full") != nil {
                if settings.fault != .writesHalf { try file.truncate(to: size) }
                throw SinkError(.passing, "the disk is full")
            }
            try append(rest)
        }

        private func append(_ records: ArraySlice<Record>) throws {
            let lines = records.map { "\($0.exchange.id)\n" }.joined()
            try file.write(lines.utf8.span)
        }

        func reopen() throws {
            let isEmptied = settings.fault == .opensEmptyAnew
            file = try File(settings.path, for: isEmptied ? .replace : .append)
        }

        func close() throws {
            try append(held[...])
            held = []
        }
    }
}

@Suite("The conformance checks of a sink")
struct SinkChecksTests {
    private func violations(_ fault: LineSink.Fault) async -> [Violation] {
        let plugin = SinkPlugin(name: "lines", summary: "Writes.", options: OptionSchema()) {
            _,
            context in LineSink(folder: context.folder, fault: fault)
        }
        return await Conformance.violations(
            of: plugin,
            settings: ConformanceSettings(patience: fault == .hangs ? .seconds(1) : .seconds(60)),
            outage: Outage(
                begin: { _ = try File("\($0)/full", for: .create) },
                end: { try FileSystem.remove("\($0)/full") }
            ),
            stored: { folder in
                var bytes: [UInt8] = []
                let file = try File("\(folder)/out.txt", for: .read)
                while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
                return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                    .compactMap { ExchangeID(String($0)) }
            }
        )
    }

    private func checks(_ fault: LineSink.Fault) async -> Set<Violation.Check> {
        Set(await violations(fault).map(\.check))
    }

    @Test("finds no violation in a correct sink")
    func good() async {
        #expect(await violations(.none) == [])
    }

    @Test("finds each fault of a sink")
    func faults() async {
        #expect(await checks(.readableByAll) == [.fileModes])
        #expect(await checks(.forgetsFirst).isSuperset(of: [.acknowledged]))
        #expect(await checks(.reversed) == [.order])
        #expect(await checks(.opensEmpty).contains(.reopening))
        #expect(await checks(.opensEmptyAnew) == [.reopening, .acknowledged])
        #expect(await checks(.refusesOddities).contains(.oddInput))
        #expect(await checks(.countsDuplicates) == [.counters])
        #expect(await checks(.talks) == [.secrets])
        #expect(await checks(.writesHalf) == [.batches])
        #expect(await checks(.holdsBack).isSuperset(of: [.acknowledged, .batches]))
        #expect(await checks(.hangs).contains(.run))
    }

    @Test("finds an outage that does not make writes fail")
    func noOutage() async {
        let plugin = SinkPlugin(name: "lines", summary: "Writes.", options: OptionSchema()) {
            _,
            context in LineSink(folder: context.folder, fault: .none)
        }
        let found = await Conformance.violations(
            of: plugin,
            settings: ConformanceSettings(failing: ["{}"]),
            outage: Outage(begin: { _ in }, end: { _ in })
        )
        #expect(found.map(\.check) == [.run, .batches])
    }
}

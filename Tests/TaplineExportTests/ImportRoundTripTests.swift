// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineExport

/// All cases as a file of another tool, and what is read back.
private struct RoundTrip {
    let requests: [Request]
    /// What the writer reported for each request.
    private(set) var losses: [[String]] = []
    private(set) var imported: [Exchange] = []
    private(set) var errors: [RecordError] = []

    init(_ format: ExportFormat, as detected: ImportFormat) throws {
        requests = ExportCases.all(port: 8080)
        var writer = format.makeWriter()
        var bytes: [UInt8] = []
        _ = writer.start(to: &bytes)
        for (number, request) in requests.enumerated() {
            let report = writer.write(ExportCases.record(request, number), to: &bytes)
            losses.append(report.losses.map(\.field))
        }
        _ = writer.finish(to: &bytes)
        let reader = ImportReader(options: ImportOptions(file: "cases"))
        var elements: [ImportReader.Element] = []
        try reader.read(bytes.span) { elements.append($0) }
        try reader.finish { elements.append($0) }
        #expect(reader.format == detected)
        for element in elements {
            switch element {
            case .success(let exchange): imported.append(exchange)
            case .failure(let error): errors.append(error)
            }
        }
    }

    /// The requests that were written, by their number.
    private var written: [Int] {
        requests.indices.filter { number in
            !losses[number].contains { $0.hasPrefix("request (") || $0 == "message (separator)" }
        }
    }

    /// Compares all requests that were written without a loss; returns how many.
    func compare(except isExcluded: (Request) -> Bool = { _ in false }) throws -> Int {
        try #require(imported.count == written.count)
        var count = 0
        for (position, number) in written.enumerated() where losses[number].isEmpty {
            if isExcluded(requests[number]) { continue }
            count += 1
            var report = LossReport()
            let sent = try #require(OutgoingRequest(requests[number], &report))
            let read = try #require(OutgoingRequest(imported[position].request, &report))
            #expect(read.method == sent.method, "\(number)")
            #expect(read.scheme == sent.scheme, "\(number)")
            #expect(read.authority == sent.authority, "\(number)")
            #expect(read.target == sent.target, "\(number)")
            #expect(read.fields == sent.fields, "\(number)")
            #expect(read.body == sent.body, "\(number)")
            #expect(read.hasContent == sent.hasContent, "\(number)")
        }
        return count
    }
}

@Suite("Requests that are exported and imported")
struct ImportRoundTripTests {
    @Test("as commands of curl are the same")
    func curl() throws {
        let trip = try RoundTrip(.curl, as: .curl)
        #expect(trip.errors.isEmpty, "\(trip.errors.prefix(3))")
        #expect(try trip.compare() >= 200)
        #expect(trip.imported.allSatisfy { $0.response == nil && $0.state == .failed })
    }

    @Test("as files of GoReplay are the same")
    func gor() throws {
        let trip = try RoundTrip(.gor, as: .gor)
        // White space in a target is encoded, and only Host states the server.
        let count = try trip.compare { request in
            let host = request.fields.first("Host") ?? request.authority
            return host != request.authority
                || Array(copying: request.target.span).contains { $0 <= 0x20 }
        }
        #expect(count >= 200)
        // A request that contains the separator is not written, and its response is not read.
        #expect(trip.losses.contains { $0.contains("message (separator)") })
        #expect(trip.errors.isEmpty, "\(trip.errors.prefix(3))")
        let answer = Array("{\"ok\":true}".utf8)
        #expect(trip.imported.allSatisfy { $0.response?.body.bytes == answer })
    }

    @Test("as flows of mitmproxy are the same, with their ids and times")
    func mitmproxy() throws {
        let trip = try RoundTrip(.mitmproxy, as: .mitmproxy)
        #expect(trip.errors.isEmpty, "\(trip.errors.prefix(3))")
        #expect(try trip.compare() >= 200)
        for (number, exchange) in trip.imported.enumerated() {
            let record = ExportCases.record(trip.requests[number], number)
            #expect(exchange.id == record.exchange.id)
            #expect(exchange.started == record.exchange.started)
            #expect(exchange.response?.body.bytes == record.exchange.response?.body.bytes)
            #expect(exchange.state == .completed)
        }
    }

    @Test("as a collection of Postman are the same")
    func postman() throws {
        let trip = try RoundTrip(.postman, as: .postman)
        #expect(trip.errors.isEmpty, "\(trip.errors.prefix(3))")
        #expect(try trip.compare() >= 150)
        let times = trip.imported.enumerated().map { number, exchange in
            exchange.started.microseconds - Int64(number) * 1000
        }
        #expect(Set(times) == [1_800_000_000_000_000])
        #expect(trip.imported.allSatisfy { $0.response?.status == 200 })
    }

    @Test("as recordings are the same", arguments: [ExportFormat.har, .ndjson])
    func recordings(format: ExportFormat) throws {
        let trip = try RoundTrip(format, as: format == .har ? .har : .ndjson)
        #expect(trip.errors.isEmpty, "\(trip.errors.prefix(3))")
        #expect(trip.imported.count == trip.requests.count)
    }
}

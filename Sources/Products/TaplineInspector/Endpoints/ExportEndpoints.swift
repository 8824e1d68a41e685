// SPDX-License-Identifier: MIT

internal import TaplineExport
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// The endpoints that write formats of other tools.
enum ExportEndpoints {
    /// How many bytes are collected before they are sent.
    private static let chunk = 64 << 10

    /// `GET /api/exchanges/ID/export`.
    static func one(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let format = try format(call)
        let exchange = try call.exchange(try open.stores()).exchange
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else { throw APIError.unknownID }
        var writer = format.makeWriter()
        var output: [UInt8] = []
        var losses = writer.start(to: &output)
        losses.add(writer.write(record, to: &output))
        losses.add(writer.finish(to: &output))
        var response = ServedResponse(200, type: "text/plain; charset=utf-8", output)
        let count = losses.losses.reduce(0) { $0 + $1.count }
        response.fields.append(name: "Tapline-Losses", value: "\(count)")
        return response
    }

    /// `GET /api/export`: streams the exchanges of a filter.
    static func all(_ call: Call, _ open: OpenStores, _ responder: Responder) throws {
        let format = try format(call)
        let stores = try open.stores()
        let filter = try call.filter(stores)
        var head = ServedResponse(200, type: "application/octet-stream")
        head.fields.append(
            name: "Content-Disposition",
            value: "attachment; filename=\"traffic.\(format.suffix)\""
        )
        for (name, value) in InspectorFields.answer { head.fields.append(name: name, value: value) }
        let stream = responder.stream(head)
        let progress = call.progress
        stream.whenClosed { progress.cancel() }
        do {
            try write(stores, filter, format, progress, to: stream)
            stream.finish()
        } catch {
            stream.finish(isWhole: false)
        }
    }

    private static func write(
        _ stores: StoreSet,
        _ filter: FilterText,
        _ format: ExportFormat,
        _ progress: QueryProgress,
        to stream: ResponseStream
    ) throws {
        var writer = format.makeWriter()
        var chain = RecordChain()
        var output: [UInt8] = []
        _ = writer.start(to: &output)
        var query = StoreQuery(filter.filter, order: .oldestFirst)
        query.progress = progress
        try stores.forEach(query) { stored in
            guard case .sealed(let record) = chain.seal(stored.exchange) else { return }
            _ = writer.write(record, to: &output)
            guard output.count >= chunk else { return }
            guard stream.write(output) else { throw QueryCancelled() }
            output.removeAll(keepingCapacity: true)
        }
        _ = writer.finish(to: &output)
        stream.write(output)
    }

    private static func format(_ call: Call) throws(APIError) -> ExportFormat {
        guard let name = call.request.query("to") else { throw .missing("to") }
        guard let format = ExportFormat(rawValue: name) else {
            throw APIError(
                400,
                "format",
                "unknown format '\(name)'; expected "
                    + ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return format
    }
}

extension ExportFormat {
    /// The suffix of a file.
    fileprivate var suffix: String {
        switch self {
        case .curl, .httpie, .wget: "sh"
        case .python: "py"
        case .javascript, .k6: "js"
        case .swift: "swift"
        case .http: "http"
        case .har: "har"
        case .ndjson: "ndjson"
        case .csv: "csv"
        case .markdown: "md"
        case .postman, .openapi: "json"
        case .gor: "gor"
        case .mitmproxy: "flow"
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineDelivery
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Sends records to an HTTP endpoint.
///
/// A batch is written when the endpoint has accepted each of its requests; see `BatchDelivery`.
final class HTTPSink: Sink {
    private let settings: HTTPSinkFactory
    private let context: SinkContext
    private let client: DeliveryClient
    private let policy: ResponsePolicy
    private var batches: BatchDelivery

    init(_ settings: HTTPSinkFactory, _ context: SinkContext) throws {
        self.settings = settings
        self.context = context
        client = try DeliveryClient(settings.delivery.settings)
        policy = .http(maxRetryAfter: settings.delivery.maxRetryAfter)
        batches = BatchDelivery(
            maxBytes: settings.delivery.maxBytes,
            maxRecords: settings.delivery.maxRecords
        )
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        try batches.deliver(batch) { record, content in
            var json = JSONWriter()
            json.record(record)
            json.separator(0x0A)
            content.append(copying: json.bytes)
        } send: { lines, _ in
            let delivery = settings.delivery
            let request = try delivery.request(
                to: delivery.endpoint,
                method: settings.method,
                contentType: settings.format.contentType,
                settings.format.body(lines)
            )
            _ = try client.deliver(request, policy, now: context.now())
        }
        batches.wrote(batch)
        return .written
    }

    func close() throws { client.close() }
}

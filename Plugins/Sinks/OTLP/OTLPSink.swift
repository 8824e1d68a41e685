// SPDX-License-Identifier: MIT

internal import TaplineDelivery
internal import TaplineModel
internal import TaplinePlugin

/// Sends exchanges as spans, log records and metrics to a receiver of OTLP/HTTP.
///
/// A batch is written when the receiver has accepted each of its requests; see `BatchDelivery`.
final class OTLPSink: Sink {
    /// A signal, and what was delivered of it.
    private struct Channel {
        let signal: OTLPSignal
        let item: (OTLPSpan) -> OTLPItem
        let endpoint: DeliveryEndpoint
        var batches: BatchDelivery
        /// How many items the receiver has rejected so far.
        var rejected = 0
        /// Those of them that no result of a write has contained.
        var unreported = 0
    }

    private let settings: OTLPSinkFactory
    private let context: SinkContext
    private let client: DeliveryClient
    private let policy: ResponsePolicy
    private var channels: [Channel]

    init(_ settings: OTLPSinkFactory, _ context: SinkContext) throws {
        self.settings = settings
        self.context = context
        client = try DeliveryClient(settings.delivery.settings)
        policy = .otlp(maxRetryAfter: settings.delivery.maxRetryAfter)
        let signals: [(OTLPSignal, (OTLPSpan) -> OTLPItem)] = [
            (.traces, OTLPItem.span), (.logs, OTLPItem.log),
        ]
        channels = signals.prefix(settings.sendsLogs ? 2 : 1).map { signal, item in
            // A request is larger than its items by the resource and the scope.
            let frame = signal.body([], settings.encoding, settings.resource).count + 32
            return Channel(
                signal: signal,
                item: item,
                endpoint: settings.delivery.endpoint.appending(signal.path),
                batches: BatchDelivery(
                    maxBytes: max(settings.delivery.maxBytes - frame, 1),
                    maxRecords: settings.delivery.maxRecords
                )
            )
        }
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        for index in channels.indices { try write(batch, &channels[index]) }
        if settings.sendsMetrics { try writeMetrics(of: batch) }
        for index in channels.indices { channels[index].batches.wrote(batch) }
        return WriteResult(rejected: reportRejected(atMost: batch.count))
    }

    /// The number of records that the receiver has rejected, also in earlier attempts at the batch.
    ///
    /// The larger number of the signals counts, since each has an item for every record.
    private func reportRejected(atMost limit: Int) -> Int {
        var rejected = 0
        for index in channels.indices {
            let part = min(channels[index].unreported, limit)
            channels[index].unreported -= part
            rejected = max(rejected, part)
        }
        return rejected
    }

    private func write(_ batch: [Record], _ channel: inout Channel) throws {
        let (signal, item, endpoint) = (channel.signal, channel.item, channel.endpoint)
        var rejected = 0
        defer {
            channel.rejected = channel.rejected.addingClamped(rejected)
            channel.unreported = channel.unreported.addingClamped(rejected)
        }
        try channel.batches.deliver(batch) { record, content in
            let span = settings.maker.span(of: record.exchange)
            item(span).append(settings.encoding, to: &content)
        } send: { items, count in
            let part = try send(items, count, signal, to: endpoint)
            rejected = rejected.addingClamped(min(part, count))
        }
    }

    /// Sends the durations of a batch, after everything else of it.
    ///
    /// If the receiver refuses them for good, that is logged: the exchanges are delivered.
    private func writeMetrics(of batch: [Record]) throws {
        var metrics = OTLPMetrics(settings.maker.kind)
        for record in batch { metrics.add(settings.maker.span(of: record.exchange)) }
        guard !metrics.points.isEmpty else { return }
        var items: [UInt8] = []
        OTLPItem.metrics(metrics).append(settings.encoding, to: &items)
        let endpoint = settings.delivery.endpoint.appending(OTLPSignal.metrics.path)
        do {
            _ = try send(items, metrics.points.count, .metrics, to: endpoint)
        } catch let error as SinkError where error.kind == .refused {
            context.log.warning("metrics are lost: \(error)")
        }
    }

    /// Sends a request; returns how many of its items the receiver has rejected.
    private func send(
        _ items: [UInt8],
        _ count: Int,
        _ signal: OTLPSignal,
        to endpoint: DeliveryEndpoint
    ) throws -> Int {
        let request = try settings.delivery.request(
            to: endpoint,
            contentType: settings.encoding.contentType,
            signal.body(items, settings.encoding, settings.resource)
        )
        let response = try client.deliver(request, policy, now: context.now())
        let rejected = PartialSuccess.rejected(in: response)
        // Not sent again, as the specification says; the receiver's text may contain traffic.
        if rejected > 0 {
            context.log.warning("\(endpoint) rejected \(rejected) of \(count) \(signal.noun)")
        }
        return rejected
    }

    func close() throws {
        client.close()
        for channel in channels where channel.rejected > 0 {
            context.log.warning(
                "\(channel.endpoint) rejected \(channel.rejected) \(channel.signal.noun) in all"
            )
        }
    }
}

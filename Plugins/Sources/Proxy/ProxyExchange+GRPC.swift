// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineUpstream

/// Messages of gRPC calls.
extension ProxyExchange {
    /// Starts reading the messages of the request, if it is a gRPC call.
    ///
    /// Whether it will be recorded is not known yet, as for the bytes of the body.
    func beginGRPC() {
        guard let form = GRPCCall.form(held.exchange.request.fields) else { return }
        grpc = GRPCCapture(
            form,
            held.exchange.request.fields,
            DecodingLimits(maxOutputBytes: worker.settings.maxDecodedMessage),
            maxCount: worker.settings.maxMessages,
            limit: captureMaxBytes
        )
    }

    /// Starts reading the messages of the response, after its head was written.
    ///
    /// If the whole body is available, all messages are read.
    func beginGRPCResponse(isWhole: Bool) {
        guard let grpc, let response = held.exchange.response else { return }
        grpc.begin(response)
        if isWhole { read(response.body.bytes.span, .down, by: grpc) }
    }

    /// Reads content that passes.
    func read(
        _ content: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        by grpc: GRPCCapture
    ) {
        grpc.read(content, direction, at: sinceBegun, client.memory)
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineUpstream

/// Messages of gRPC calls.
extension ReplayExchange {
    /// The maximum number of messages in a record.
    private static let maxMessages = 10_000
    /// The maximum size of a decoded message, in bytes.
    private static let maxDecoded = 16 << 20

    /// Starts reading the messages of a call, whose request was sent.
    func beginCall() {
        guard let form = GRPCCall.form(held.exchange.request.fields) else { return }
        let call = GRPCCapture(
            form,
            held.exchange.request.fields,
            DecodingLimits(maxOutputBytes: Self.maxDecoded),
            maxCount: Self.maxMessages,
            limit: worker.captureMaxBytes
        )
        let body = held.exchange.request.body.bytes
        call.read(body.span, .up, at: sinceBegun, worker.lane)
        grpc = call
    }

    /// Forgets the messages of a try that has failed.
    func forgetCall() {
        guard let call = grpc.take() else { return }
        worker.lane.release(call.keptBytes)
    }

    /// Adds the messages and the final status of a call to the record.
    func fillCall() { grpc?.fill(&held.exchange, at: sinceBegun, worker.lane) }
}

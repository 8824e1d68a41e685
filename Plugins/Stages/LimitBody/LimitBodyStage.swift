// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The stage `limit_body` in one lane; it changes what is kept, never what is on the wire.
final class LimitBodyStage: RecordStage {
    private let limits: LimitBodyFactory

    init(_ limits: LimitBodyFactory) {
        self.limits = limits
    }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        limits.request.cut(&exchange.request.body, exchange.request.fields)
        if var response = exchange.response.take() {
            limits.response.cut(&response.body, response.fields)
            exchange.response = response
        }
        for position in exchange.messages.indices {
            limits.messages.cut(&exchange.messages[position])
        }
        return .keep
    }
}

/// The configured stage `limit_body`.
struct LimitBodyFactory: StageFactory {
    var request: BodyLimit
    var response: BodyLimit
    var messages: BodyLimit

    var hooks: Hooks { .record }
    var cutsBodies: Bool { true }

    func makeStage(_ context: StageContext) throws -> any Stage {
        LimitBodyStage(self)
    }
}

// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A stage made of closures; hooks without one are not there.
public struct ScriptedStage: StageFactory {
    /// A hook on the wire.
    public typealias WireHook =
        @Sendable (inout Exchange, inout ExchangeContext) throws -> Verdict
    /// A hook on records.
    public typealias RecordHook =
        @Sendable (inout Exchange, inout ExchangeContext) throws -> RecordVerdict

    /// Whether it counts as a redaction.
    public let redacts: Bool
    private let requestHook: WireHook?
    private let responseHook: WireHook?
    private let recordHook: RecordHook?

    /// A stage of these hooks.
    public init(
        redacts: Bool = false,
        request: WireHook? = nil,
        response: WireHook? = nil,
        record: RecordHook? = nil
    ) {
        self.redacts = redacts
        requestHook = request
        responseHook = response
        recordHook = record
    }

    /// The hooks that there are.
    public var hooks: Hooks {
        var hooks: Hooks = []
        if requestHook != nil { hooks.insert(.request) }
        if responseHook != nil { hooks.insert(.response) }
        if recordHook != nil { hooks.insert(.record) }
        return hooks
    }

    /// Makes the stage of a lane.
    public func makeStage(_ context: StageContext) throws -> any Stage {
        Made(requestHook, responseHook, recordHook)
    }

    private final class Made: WireStage, RecordStage {
        private let requestHook: WireHook?
        private let responseHook: WireHook?
        private let recordHook: RecordHook?

        init(_ request: WireHook?, _ response: WireHook?, _ record: RecordHook?) {
            requestHook = request
            responseHook = response
            recordHook = record
        }

        func request(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> Verdict {
            try requestHook?(&exchange, &context) ?? .proceed
        }

        func response(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> Verdict {
            try responseHook?(&exchange, &context) ?? .proceed
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            try recordHook?(&exchange, &context) ?? .keep
        }
    }
}

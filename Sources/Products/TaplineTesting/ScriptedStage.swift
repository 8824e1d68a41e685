// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A stage made of closures; it has only the hooks that have a closure.
public struct ScriptedStage: StageFactory {
    /// A hook on the wire.
    public typealias WireHook =
        @Sendable (inout Exchange, inout ExchangeContext) throws -> Verdict
    /// A hook on messages.
    public typealias MessageHook =
        @Sendable (inout StreamMessage, inout Exchange, inout ExchangeContext) throws ->
        MessageVerdict
    /// A hook on records.
    public typealias RecordHook =
        @Sendable (inout Exchange, inout ExchangeContext) throws -> RecordVerdict

    /// Whether it counts as a redaction.
    public let redacts: Bool
    private let requestHook: WireHook?
    private let responseHook: WireHook?
    private let messageHook: MessageHook?
    private let recordHook: RecordHook?

    /// Creates a stage with these hooks.
    public init(
        redacts: Bool = false,
        request: WireHook? = nil,
        response: WireHook? = nil,
        message: MessageHook? = nil,
        record: RecordHook? = nil
    ) {
        self.redacts = redacts
        requestHook = request
        responseHook = response
        messageHook = message
        recordHook = record
    }

    /// The hooks that have a closure.
    public var hooks: Hooks {
        var hooks: Hooks = []
        if requestHook != nil { hooks.insert(.request) }
        if responseHook != nil { hooks.insert(.response) }
        if messageHook != nil { hooks.insert(.message) }
        if recordHook != nil { hooks.insert(.record) }
        return hooks
    }

    /// Makes the stage of a lane.
    public func makeStage(_ context: StageContext) throws -> any Stage { Lane(self) }

    private final class Lane: WireStage, RecordStage {
        private let script: ScriptedStage

        init(_ script: ScriptedStage) { self.script = script }

        func request(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> Verdict {
            try script.requestHook?(&exchange, &context) ?? .proceed
        }

        func response(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> Verdict {
            try script.responseHook?(&exchange, &context) ?? .proceed
        }

        func message(
            _ message: inout StreamMessage,
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> MessageVerdict {
            try script.messageHook?(&message, &exchange, &context) ?? .pass
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            try script.recordHook?(&exchange, &context) ?? .keep
        }
    }
}

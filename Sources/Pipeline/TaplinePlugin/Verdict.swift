// SPDX-License-Identifier: MIT

public import TaplineModel

/// What a wire hook wants to happen to the exchange.
///
/// Use the static members, since new verdicts may be added.
public struct Verdict: Sendable {
    package enum Action: Sendable {
        case proceed
        /// Rare and large, so it is stored separately from the verdicts that each stage returns for
        /// each exchange.
        indirect case respond(Response)
        /// A response whose fields, including the framing, are those of a recording.
        indirect case respondAsRecorded(Response)
        case drop(reason: String)
        case abort
        indirect case fail(ExchangeError)
    }

    package let action: Action
    package let delay: Microseconds
    /// Whether the exchange waits for a person's decision after all hooks have run.
    package let pause: Pause?

    private init(action: Action, delay: Microseconds, pause: Pause? = nil) {
        self.action = action
        self.delay = delay
        self.pause = pause
    }

    /// The chain continues.
    public static var proceed: Verdict { Verdict(action: .proceed, delay: Microseconds(0)) }

    /// In `request`, the response is sent to the client without contacting the server, and all
    /// `response` hooks run over it.
    ///
    /// In `response`, the response replaces the received one, and the chain continues.
    ///
    /// Content-Length and Transfer-Encoding are set to match the body, whatever the fields say
    /// (`Response.frame`).
    public static func respond(_ response: Response) -> Verdict {
        Verdict(action: .respond(response), delay: Microseconds(0))
    }

    /// As `respond`, with a recorded response whose fields are kept.
    ///
    /// In an app, these fields describe how the content was sent, while the body is the decoded
    /// content.
    package static func respond(asRecorded response: Response) -> Verdict {
        Verdict(action: .respondAsRecorded(response), delay: Microseconds(0))
    }

    /// The traffic passes unchanged, but no record is kept.
    ///
    /// The reason must not contain traffic.
    public static func drop(reason: String) -> Verdict {
        Verdict(action: .drop(reason: reason), delay: Microseconds(0))
    }

    /// The connection is closed, and the exchange ends as cancelled with the code `aborted`.
    public static var abort: Verdict { Verdict(action: .abort, delay: Microseconds(0)) }

    /// The exchange ends as failed with this error, as if the network had failed.
    ///
    /// An app gets the URLSession error for the code. A client of the proxy sees its connection
    /// closed, as with `abort`.
    public static func fail(_ error: ExchangeError) -> Verdict {
        Verdict(action: .fail(error), delay: Microseconds(0))
    }

    /// The chain continues after a delay.
    public static func delay(_ time: Microseconds) -> Verdict { proceed.delayed(by: time) }

    /// The same verdict, carried out after a delay.
    public func delayed(by time: Microseconds) -> Verdict {
        Verdict(action: action, delay: time, pause: pause)
    }

    /// The same verdict, carried out after somebody has decided about the exchange.
    ///
    /// A source that cannot wait passes it at once.
    package func paused(by pause: Pause?) -> Verdict {
        Verdict(action: action, delay: delay, pause: pause)
    }
}

/// What a wire hook wants to happen to a message of a WebSocket.
public struct MessageVerdict: Sendable, Equatable {
    package enum Action: Sendable {
        case pass
        case drop
        case abort
    }

    package let action: Action

    /// The message is passed on to the hooks of later stages and then to the other side.
    public static let pass = MessageVerdict(action: .pass)
    /// The message is neither passed on nor recorded.
    public static let drop = MessageVerdict(action: .drop)
    /// The connection is closed, and the exchange ends as cancelled with the code `aborted`.
    public static let abort = MessageVerdict(action: .abort)
}

/// What a record hook wants to happen to the record.
public struct RecordVerdict: Sendable {
    package let dropReason: String?
    /// What gives the verdict later; `nil` if this is the verdict.
    package var pending: PendingVerdict?

    /// The record is passed on.
    public static let keep = RecordVerdict(dropReason: nil)

    /// The verdict follows; until then the exchange is parked, and the lane goes on with others.
    package static func pending(_ verdict: PendingVerdict) -> RecordVerdict {
        RecordVerdict(dropReason: nil, pending: verdict)
    }

    /// The record is not kept.
    ///
    /// The reason must not contain traffic.
    public static func drop(reason: String) -> RecordVerdict { RecordVerdict(dropReason: reason) }
}

/// What a source does with a message after the hooks of a lane have run.
public enum MessageOutcome: Sendable {
    /// Send the message in its current state.
    case pass
    /// Neither send nor record the message.
    case drop
    /// Close the connection; the exchange is cancelled.
    case abort
}

/// What a source does on the wire after the hooks of a lane have run.
public struct WireOutcome: Sendable {
    /// The next action of the source.
    public enum Action: Sendable {
        /// Send the exchange on in its current state.
        case forward
        /// In `request`: do not contact the server; the exchange holds the response.
        case respond
        /// Close the connection; the exchange is cancelled.
        case abort
    }

    /// The next action of the source.
    public let action: Action
    /// How long the source waits before the action.
    public let delay: Microseconds
    /// If the source can wait, a person sees the exchange and decides before the action.
    package let pause: Pause?

    /// Creates an outcome, by default without a delay.
    public init(_ action: Action, delay: Microseconds = Microseconds(0)) {
        self.init(action, delay: delay, pause: nil)
    }

    /// Creates an outcome that waits for a decision.
    package init(_ action: Action, delay: Microseconds, pause: Pause?) {
        self.action = action
        self.delay = delay
        self.pause = pause
    }
}

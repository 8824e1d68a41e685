// SPDX-License-Identifier: MIT

public import TaplineModel

/// What a wire hook wants to happen with the exchange.
///
/// Not frozen to a closed list for plugin authors: new verdicts may come, so make them through the
/// static members.
public struct Verdict: Sendable {
    package enum Action: Sendable {
        case proceed
        /// Seldom there, and large: apart from the others, which each stage gives for each exchange.
        indirect case respond(Response)
        /// An answer whose fields are those of a recording, framing included.
        indirect case respondAsRecorded(Response)
        case drop(reason: String)
        case abort
        indirect case fail(ExchangeError)
    }

    package let action: Action
    package let delay: Microseconds

    /// The chain goes on.
    public static var proceed: Verdict { Verdict(action: .proceed, delay: Microseconds(0)) }

    /// In `request`: this response is the answer, the server is not asked, and all `response` hooks
    /// run over it.
    ///
    /// In `response`: this response replaces the one received and the chain goes on.
    ///
    /// Content-Length and Transfer-Encoding follow the body, whatever the fields say
    /// (`Response.frame`).
    public static func respond(_ response: Response) -> Verdict {
        Verdict(action: .respond(response), delay: Microseconds(0))
    }

    /// `respond` with a recorded response, whose fields stay: in an app they say how the content was
    /// sent, and the body is the decoded content.
    package static func respond(asRecorded response: Response) -> Verdict {
        Verdict(action: .respondAsRecorded(response), delay: Microseconds(0))
    }

    /// The wire goes on untouched; no record is kept.
    ///
    /// The reason must not hold traffic.
    public static func drop(reason: String) -> Verdict {
        Verdict(action: .drop(reason: reason), delay: Microseconds(0))
    }

    /// The connection is closed; the exchange ends as cancelled with the code `aborted`.
    public static var abort: Verdict { Verdict(action: .abort, delay: Microseconds(0)) }

    /// The exchange ends as failed with this error, as if the network had failed so.
    ///
    /// An app sees the error of URLSession that the code stands for; a client of the proxy sees its
    /// connection closed, as with `abort`.
    public static func fail(_ error: ExchangeError) -> Verdict {
        Verdict(action: .fail(error), delay: Microseconds(0))
    }

    /// The chain goes on after a while.
    public static func delay(_ time: Microseconds) -> Verdict { proceed.delayed(by: time) }

    /// The same verdict, carried out after a while.
    public func delayed(by time: Microseconds) -> Verdict {
        Verdict(action: action, delay: time)
    }
}

/// What a wire hook wants to happen with a message of a WebSocket.
public struct MessageVerdict: Sendable, Equatable {
    package enum Action: Sendable {
        case pass
        case drop
        case abort
    }

    package let action: Action

    /// It goes on, to the hooks of later stages and then to the other side.
    public static let pass = MessageVerdict(action: .pass)
    /// It is not passed on, and not recorded.
    public static let drop = MessageVerdict(action: .drop)
    /// The connection is closed; the exchange ends as cancelled with the code `aborted`.
    public static let abort = MessageVerdict(action: .abort)
}

/// What a record hook wants to happen with the record.
public struct RecordVerdict: Sendable {
    package let dropReason: String?

    /// The record goes on.
    public static let keep = RecordVerdict(dropReason: nil)

    /// The record is not kept.
    ///
    /// The reason must not hold traffic.
    public static func drop(reason: String) -> RecordVerdict { RecordVerdict(dropReason: reason) }
}

/// What is to be done with a message after the hooks of a lane have run.
public enum MessageOutcome: Sendable {
    /// Send it as it is now.
    case pass
    /// Do not send it, and do not record it.
    case drop
    /// Close the connection; the exchange is cancelled.
    case abort
}

/// What is to be done with the wire after the hooks of a lane have run.
public struct WireOutcome: Sendable {
    /// What the source does next.
    public enum Action: Sendable {
        /// Send on what the exchange holds now.
        case forward
        /// In `request`: do not ask the server; the exchange holds the response.
        case respond
        /// Close the connection; the exchange is cancelled.
        case abort
    }

    /// What the source does next.
    public let action: Action
    /// How long the source waits before that.
    public let delay: Microseconds

    /// An outcome; the delay is none where it is left out.
    public init(_ action: Action, delay: Microseconds = Microseconds(0)) {
        self.action = action
        self.delay = delay
    }
}

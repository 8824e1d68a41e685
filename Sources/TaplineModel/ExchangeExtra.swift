// SPDX-License-Identifier: MIT

/// What few exchanges have: where changes came from, replay, notes of people, streams, gRPC.
///
/// **Shape**: `Exchange.extra` is `nil` unless a part of it is known, and takes the room of a
/// reference. Each part has a key of its own in the record schema.
public struct ExchangeExtra: Sendable, Equatable {
    /// What stages changed, in the order in which they did.
    public var provenance: [ProvenanceChange]
    /// The recorded exchange that this one repeats.
    public var replay: ReplayFacts?
    /// What people noted.
    public var notes: [ExchangeNote]
    /// The stream of each leg.
    public var stream: StreamLegs?
    /// The call, if it was one of gRPC.
    public var grpc: GRPCFacts?

    /// Nothing known.
    public init() {
        provenance = []
        notes = []
    }

    /// Whether nothing is known.
    public var isEmpty: Bool {
        provenance.isEmpty && replay == nil && notes.isEmpty && stream == nil && grpc == nil
    }

    /// What a text is about.
    package enum TextKind {
        /// Anything.
        case free
        /// A version of HTTP.
        case version
    }

    /// Hands over each text to be changed.
    package mutating func editTexts(_ edit: (inout String, TextKind) -> Void) {
        for position in provenance.indices {
            edit(&provenance[position].stage, .free)
            edit(&provenance[position].hook, .free)
            edit(&provenance[position].what, .free)
        }
        for position in notes.indices {
            edit(&notes[position].text, .free)
            edit(&notes[position].author, .free)
            edit(&notes[position].mark, .free)
        }
        if var leg = stream?.client {
            edit(&leg.version, .version)
            stream?.client = leg
        }
        if var leg = stream?.server {
            edit(&leg.version, .version)
            stream?.server = leg
        }
        if var grpc {
            edit(&grpc.service, .free)
            edit(&grpc.method, .free)
            edit(&grpc.message, .free)
            self.grpc = grpc
        }
    }

    /// About how much memory it takes.
    package var memory: Int {
        var sum = 256
        for change in provenance {
            sum += 64 + change.stage.utf8.count + change.hook.utf8.count + change.what.utf8.count
        }
        for note in notes {
            sum += 80 + note.text.utf8.count + note.author.utf8.count + note.mark.utf8.count
        }
        if let grpc {
            sum += grpc.service.utf8.count + grpc.method.utf8.count + grpc.message.utf8.count
        }
        return sum
    }
}

/// A change that a stage made, by names alone: values stand only in the record itself.
public struct ProvenanceChange: Sendable, Equatable {
    /// The id of the stage.
    public var stage: String
    /// The hook in which it made the change: `request`, `response`, `message` or `record`.
    public var hook: String
    /// What was changed: `url`, `request.header.x-team`, `response.body`.
    public var what: String
    /// When, counted from the start of the exchange.
    public var at: Microseconds?

    /// A change of these parts.
    public init(stage: String, hook: String, what: String, at: Microseconds? = nil) {
        self.stage = stage
        self.hook = hook
        self.what = what
        self.at = at
    }
}

/// Which exchange was replayed, and when.
public struct ReplayFacts: Sendable, Equatable {
    /// The id of the recorded exchange.
    public var original: ExchangeID
    /// When it was due by the schedule of the replay.
    public var due: Timestamp?
    /// When it was sent.
    public var sent: Timestamp?

    /// A replay of an exchange.
    public init(of original: ExchangeID, due: Timestamp? = nil, sent: Timestamp? = nil) {
        self.original = original
        self.due = due
        self.sent = sent
    }
}

/// What a person noted of an exchange; a part that is not known is empty.
public struct ExchangeNote: Sendable, Equatable {
    /// The text.
    public var text: String
    /// Who wrote it.
    public var author: String
    /// A mark for the eye, such as a colour.
    public var mark: String
    /// When.
    public var at: Timestamp?

    /// A note of these parts.
    public init(text: String = "", author: String = "", mark: String = "", at: Timestamp? = nil) {
        self.text = text
        self.author = author
        self.mark = mark
        self.at = at
    }
}

/// The streams that carried an exchange (RFC 9113 §5).
public struct StreamLegs: Sendable, Equatable {
    /// The stream of one leg.
    public struct Leg: Sendable, Equatable {
        /// The number of the stream; `nil` where the version has none.
        public var id: Int?
        /// The version that was spoken: `HTTP/2`; empty if unknown.
        public var version: String

        /// A stream.
        public init(id: Int? = nil, version: String = "") {
            self.id = id
            self.version = version
        }
    }

    /// Between client and proxy.
    public var client: Leg?
    /// Between proxy and server.
    public var server: Leg?

    /// The streams of both legs.
    public init(client: Leg? = nil, server: Leg? = nil) {
        self.client = client
        self.server = server
    }
}

/// A call of gRPC over HTTP/2; a part that is not known is empty.
public struct GRPCFacts: Sendable, Equatable {
    /// The full name of the service: `shop.v1.Cart`.
    public var service: String
    /// The name of the method.
    public var method: String
    /// `grpc-status`; 0 is success.
    public var status: Int?
    /// `grpc-message`, decoded.
    public var message: String

    /// A call of these parts.
    public init(
        service: String = "",
        method: String = "",
        status: Int? = nil,
        message: String = ""
    ) {
        self.service = service
        self.method = method
        self.status = status
        self.message = message
    }
}

/// Holds the parts that few exchanges have, so that the others are no larger for them.
@usableFromInline
final class ExtraBox: Sendable, Equatable {
    let extra: ExchangeExtra

    init(_ extra: ExchangeExtra) { self.extra = extra }

    @usableFromInline
    static func == (left: ExtraBox, right: ExtraBox) -> Bool {
        left === right || left.extra == right.extra
    }
}

extension Exchange {
    /// What few exchanges have; `nil` if nothing of it is known.
    public var extra: ExchangeExtra? {
        get { extraBox?.extra }
        set {
            if let newValue, !newValue.isEmpty {
                extraBox = ExtraBox(newValue)
            } else {
                extraBox = nil
            }
        }
    }

    /// Whether a part of `extra` is known.
    @inlinable
    package var hasExtra: Bool { extraBox != nil }
}

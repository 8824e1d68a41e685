// SPDX-License-Identifier: MIT

/// Parts that few exchanges have: provenance, replay, notes of people, streams, gRPC.
///
/// **Shape**: `Exchange.extra` is `nil` unless a part is known, and takes the space of a reference.
/// Each part has its own key in the record schema.
public struct ExchangeExtra: Sendable, Equatable {
    /// What the hooks of stages did, in order.
    public var provenance: [ProvenanceStep]
    /// The recorded exchange that this one repeats.
    public var replay: ReplayFacts?
    /// Notes of people.
    public var notes: [ExchangeNote]
    /// The stream of each leg.
    public var stream: StreamLegs?
    /// The gRPC call, if this was one.
    public var grpc: GRPCFacts?

    /// Creates an empty value.
    public init() {
        provenance = []
        notes = []
    }

    /// Whether nothing is known.
    public var isEmpty: Bool {
        provenance.isEmpty && replay == nil && notes.isEmpty && stream == nil && grpc == nil
    }

    /// The kind of a text.
    package enum TextKind {
        /// Free text.
        case free
        /// An HTTP version.
        case version
        /// The name of a field, a tag or a variable.
        case name
    }

    /// Calls `edit` with each text.
    package mutating func editTexts(_ edit: (inout String, TextKind) -> Void) {
        for position in provenance.indices { provenance[position].editTexts(edit) }
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

    /// The approximate memory that it takes, in bytes.
    package var memory: Int {
        var sum = 256
        for step in provenance { sum += step.memory }
        for note in notes {
            sum += 80 + note.text.utf8.count + note.author.utf8.count + note.mark.utf8.count
        }
        if let grpc {
            sum += grpc.service.utf8.count + grpc.method.utf8.count + grpc.message.utf8.count
        }
        return sum
    }
}

/// Which exchange was replayed, and when.
public struct ReplayFacts: Sendable, Equatable {
    /// The id of the recorded exchange.
    public var original: ExchangeID
    /// When it was due according to the replay's schedule.
    public var due: Timestamp?
    /// When it was sent.
    public var sent: Timestamp?
    /// The status code of the recorded response; `nil` if there was none.
    public var status: Int?

    /// Creates the facts of a replay.
    public init(
        of original: ExchangeID,
        due: Timestamp? = nil,
        sent: Timestamp? = nil,
        status: Int? = nil
    ) {
        self.original = original
        self.due = due
        self.sent = sent
        self.status = status
    }
}

/// A person's note on an exchange; unknown parts are empty.
public struct ExchangeNote: Sendable, Equatable {
    /// The text.
    public var text: String
    /// Who wrote it.
    public var author: String
    /// A visual mark, such as a colour.
    public var mark: String
    /// When it was written.
    public var at: Timestamp?

    /// Creates a note.
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
        /// The number of the stream; `nil` if the version has no streams.
        public var id: Int?
        /// The HTTP version in use, such as `HTTP/2`; empty if unknown.
        public var version: String
        /// The size of the fields before compression, if they were compressed and counted.
        public var fields: FieldBytes?

        /// Creates a leg.
        public init(id: Int? = nil, version: String = "", fields: FieldBytes? = nil) {
            self.id = id
            self.version = version
            self.fields = fields
        }
    }

    /// The bytes of names and values, with pseudo-fields and trailers, before compression.
    public struct FieldBytes: Sendable, Equatable {
        /// From client to server.
        public var up: Int
        /// From server to client.
        public var down: Int

        /// Creates counts for both directions.
        public init(up: Int = 0, down: Int = 0) {
            self.up = up
            self.down = down
        }
    }

    /// Between client and proxy.
    public var client: Leg?
    /// Between proxy and server.
    public var server: Leg?

    /// Creates the legs.
    public init(client: Leg? = nil, server: Leg? = nil) {
        self.client = client
        self.server = server
    }
}

/// A gRPC call over HTTP/2; unknown parts are empty.
public struct GRPCFacts: Sendable, Equatable {
    /// The full name of the service: `shop.v1.Cart`.
    public var service: String
    /// The name of the method.
    public var method: String
    /// `grpc-status`; 0 is success.
    public var status: Int?
    /// `grpc-message`, decoded.
    public var message: String

    /// Creates a call.
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

/// Holds the parts that few exchanges have, so that other exchanges are not larger.
@usableFromInline
final class ExtraBox: @unchecked Sendable, Equatable {
    // Unchecked, since only an exchange with the sole reference changes it.
    fileprivate(set) var extra: ExchangeExtra

    init(_ extra: ExchangeExtra) { self.extra = extra }

    @usableFromInline
    static func == (left: ExtraBox, right: ExtraBox) -> Bool {
        left === right || left.extra == right.extra
    }
}

extension Exchange {
    /// The parts that few exchanges have; `nil` if none is known.
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

    /// Changes a part of `extra` in place, without a copy of the others.
    ///
    /// - Parameter change: Sets parts, and resets none.
    package mutating func setExtra(_ change: (inout ExchangeExtra) -> Void) {
        if isKnownUniquelyReferenced(&extraBox), let extraBox {
            change(&extraBox.extra)
        } else {
            let box = ExtraBox(extra ?? ExchangeExtra())
            change(&box.extra)
            extraBox = box
        }
    }

    /// Whether a part of `extra` is known.
    @inlinable
    package var hasExtra: Bool { extraBox != nil }
}

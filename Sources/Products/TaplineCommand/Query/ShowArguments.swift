// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel
internal import TaplineProtobuf
internal import TaplineStore

/// The arguments of `tapline show`, read from the command line.
struct ShowArguments {
    /// One of the two messages.
    enum Side: String, CaseIterable {
        case request
        case response
    }

    /// What is shown of the exchange.
    enum Content: Equatable {
        case exchange
        /// Both messages as bytes.
        case messages
        case body(Side)
    }

    /// How the exchange is chosen.
    enum Choice: Equatable {
        case id(IDPrefix)
        case first
        case last

        init(_ text: String) throws(UsageError) {
            switch text {
            case "first": self = .first
            case "last": self = .last
            default:
                guard let prefix = IDPrefix(text) else {
                    throw UsageError(
                        message: "wrong ID; found '\(text)', expected an id, at least its first "
                            + "\(IDPrefix.minDigits) digits, 'first' or 'last'",
                        help: "'tapline query STORE --format ids' prints the ids"
                    )
                }
                self = .id(prefix)
            }
        }

        /// Finds the exchange.
        func exchange(in stores: StoreSet) throws -> Exchange { try found(in: stores).exchange }

        /// Finds the place of the exchange.
        func key(in stores: StoreSet) throws -> StoreKey { try found(in: stores).key }

        private func found(in stores: StoreSet) throws -> StoredExchange {
            let order: StoreOrder
            switch self {
            case .id(let prefix): return try stores.exchange(with: prefix)
            case .first: order = .oldestFirst
            case .last: order = .newestFirst
            }
            var found: StoredExchange?
            try stores.forEach(StoreQuery(order: order, limit: 1)) { found = $0 }
            guard let found else { throw ShowError(description: "there are no exchanges") }
            return found
        }
    }

    /// The names of the stores.
    let stores: [String]
    let choice: Choice
    let content: Content
    /// Whether bytes are written with their coding.
    let isRaw: Bool
    /// The maximum number of lines of each body; `nil` for all.
    let maxLines: Int?
    /// The types of protobuf messages; `nil` if they are unknown.
    let schema: ProtobufSchema?

    init(_ invocation: Invocation) throws(UsageError) {
        stores = Array(invocation.operands.dropLast())
        choice = try Choice(invocation.operands.last ?? "")
        isRaw = invocation.has("raw")
        if let side = invocation.value("body").flatMap(Side.init(rawValue:)) {
            content = .body(side)
        } else {
            content = isRaw ? .messages : .exchange
        }
        maxLines = try invocation.number("lines")
        schema = try Descriptors.read(invocation)
        if maxLines != nil, content != .exchange {
            let other = isRaw ? "raw" : "body"
            throw UsageError(message: "'--\(other)' writes all bytes and excludes '--lines'")
        }
    }

    /// The body of one side.
    func body(of exchange: Exchange, _ side: Side) throws -> Body {
        let body = side == .request ? exchange.request.body : exchange.response?.body
        guard let body else { throw ShowError(description: "the exchange has no response") }
        if body.bytes.isEmpty, let size = body.size, size > 0 {
            throw ShowError(description: "the \(side.rawValue) body was not kept")
        }
        return body
    }
}

/// Why there is nothing to show.
struct ShowError: Error, CustomStringConvertible {
    let description: String
}

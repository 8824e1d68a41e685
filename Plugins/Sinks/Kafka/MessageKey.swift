// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What the key of a message is.
enum MessageKey: Sendable, Equatable {
    case host
    case session
    case trace
    case id
    case none

    /// Writes the key of an exchange; nothing if it has none.
    func write(of exchange: borrowing Exchange, to bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        switch self {
        case .host:
            let host = exchange.request.host
            for index in host.span.indices { bytes.append(host.span[index].asciiLowercased) }
        case .session:
            if let session = exchange.tags["session"] { bytes.append(contentsOf: session.utf8) }
        case .trace:
            if let id = Correlation.find(in: exchange) { bytes.append(copying: id.span) }
        case .id: exchange.id.append(to: &bytes)
        case .none: break
        }
    }
}

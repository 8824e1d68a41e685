// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A captured exchange as it is read back: on its way, or ended and cleaned by the stages.
public struct Entry: Sendable, Identifiable {
    /// How far an exchange has come.
    public enum State: Sendable, Equatable {
        /// It has not ended.
        case loading
        /// The response is whole.
        case success
        /// There is no response, or not all of it.
        case failed
        /// The app, or a stage, gave it up.
        case cancelled
    }

    private enum Content: Sendable {
        case active(ActiveExchange)
        case ended(Record)
    }

    private let content: Content

    init(_ exchange: ActiveExchange) { content = .active(exchange) }

    init(_ record: Record) { content = .ended(record) }

    /// The record, when the exchange has ended.
    public var record: Record? {
        if case .ended(let record) = content { record } else { nil }
    }

    /// The exchange, when it has ended.
    public var exchange: Exchange? { record?.exchange }

    /// Its id, which sorts by time.
    public var id: ExchangeID {
        switch content {
        case .active(let exchange): exchange.id
        case .ended(let record): record.exchange.id
        }
    }

    /// How far it has come.
    public var state: State {
        switch exchange?.state {
        case nil: .loading
        case .completed: .success
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// When it began.
    public var started: Timestamp {
        switch content {
        case .active(let exchange): exchange.started
        case .ended(let record): record.exchange.started
        }
    }

    /// The method; of an exchange that has not ended only a registered one, otherwise empty.
    public var method: String {
        switch content {
        case .active(let exchange): exchange.method.description
        case .ended(let record): record.exchange.request.method.description
        }
    }

    /// The URL; of an exchange that has not ended only scheme, host and port, as far as they are
    /// harmless (`ActiveExchange`).
    public var url: String {
        switch content {
        case .active(let exchange):
            "\(exchange.scheme)://\(exchange.host)" + (exchange.port.map { ":\($0)" } ?? "")
        case .ended(let record): record.exchange.request.url.description
        }
    }

    /// The status code; `nil` if there is no response.
    public var statusCode: Int? { exchange?.response?.status }

    /// How long it took; nothing until it has ended.
    public var duration: Duration? {
        exchange?.timing.total.map { .microseconds($0.count) }
    }

    /// The time it took, such as `123ms` or `1.23s`; nothing until it has ended.
    public var formattedDuration: String? {
        guard let total = exchange?.timing.total?.count else { return nil }
        let milliseconds = (total + 500) / 1000
        guard milliseconds >= 1000 else { return "\(milliseconds)ms" }
        let hundredths = (total + 5000) / 10_000
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)s"
    }
}

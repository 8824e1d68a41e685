// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A captured exchange as it is read back: unfinished, or ended and cleaned by the stages.
public struct Entry: Sendable, Identifiable {
    /// The progress of an exchange.
    public enum State: Sendable, Equatable {
        /// The exchange has not ended.
        case loading
        /// The response is complete.
        case success
        /// There is no response, or only a part of it.
        case failed
        /// The app or a stage cancelled the exchange.
        case cancelled
    }

    private enum Content: Sendable {
        case active(ActiveExchange)
        case ended(Record)
    }

    private let content: Content

    init(_ exchange: ActiveExchange) { content = .active(exchange) }

    init(_ record: Record) { content = .ended(record) }

    /// The record, once the exchange has ended.
    public var record: Record? {
        if case .ended(let record) = content { record } else { nil }
    }

    /// The exchange, once it has ended.
    public var exchange: Exchange? { record?.exchange }

    /// The id, which sorts by time.
    public var id: ExchangeID {
        switch content {
        case .active(let exchange): exchange.id
        case .ended(let record): record.exchange.id
        }
    }

    /// The progress of the exchange.
    public var state: State {
        switch exchange?.state {
        case nil: .loading
        case .completed: .success
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// When the exchange began.
    public var started: Timestamp {
        switch content {
        case .active(let exchange): exchange.started
        case .ended(let record): record.exchange.started
        }
    }

    /// The method; empty while the exchange is unfinished and its method is not a registered one.
    public var method: String {
        switch content {
        case .active(let exchange): exchange.method.description
        case .ended(let record): record.exchange.request.method.description
        }
    }

    /// The URL; while the exchange is unfinished, only scheme, host and port, as far as they are
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

    /// How long the exchange took; `nil` until it has ended.
    public var duration: Duration? {
        exchange?.timing.total.map { .microseconds($0.count) }
    }

    /// The duration as text, such as `123ms` or `1.23s`; `nil` until the exchange has ended.
    public var formattedDuration: String? {
        guard let total = exchange?.timing.total?.count else { return nil }
        let milliseconds = (total + 500) / 1000
        guard milliseconds >= 1000 else { return "\(milliseconds)ms" }
        let hundredths = (total + 5000) / 10_000
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)s"
    }
}

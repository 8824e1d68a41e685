// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

extension FieldReference {
    /// The value that a request has; `nil` if it has none.
    func bytes(of request: borrowing Request) -> [UInt8]? {
        let exchange = Exchange(id: ExchangeID(high: 0, low: 0), request: copy request)
        return switch value(in: exchange) {
        case .text(let bytes): bytes
        case .whole(let number): Array(String(number).utf8)
        case .real(let number): Array(String(number).utf8)
        case nil: nil
        }
    }

    /// The value that a request has, as text.
    func text(of request: borrowing Request) -> String? {
        bytes(of: request).map { String(decoding: $0, as: UTF8.self) }
    }
}

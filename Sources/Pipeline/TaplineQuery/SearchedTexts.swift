// SPDX-License-Identifier: MIT

package import TaplineModel

/// What `any` searches in an exchange: every text in which one of its comparisons looks.
package enum SearchedTexts {
    /// Calls a closure with the URL, the names and values of all fields and trailers, both decoded
    /// bodies and all messages.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - maxDecodedBytes: The maximum number of decoded bytes of a coded body.
    ///   - body: Receives the texts.
    package static func forEach(
        in exchange: borrowing Exchange,
        maxDecodedBytes: Int = FilterLimits().maxDecodedBytes,
        _ body: (Span<UInt8>) -> Void
    ) {
        let url = exchange.request.url
        body(url.span)
        forEach(in: exchange.request.fields, body)
        forEach(in: exchange.request.trailers, body)
        forEach(in: exchange.request.body, maxDecodedBytes, body)
        if let response = exchange.response {
            forEach(in: response.fields, body)
            forEach(in: response.trailers, body)
            forEach(in: response.body, maxDecodedBytes, body)
        }
        for message in exchange.messages { body(message.bytes.span) }
    }

    private static func forEach(
        in fields: borrowing FieldSection,
        _ body: (Span<UInt8>) -> Void
    ) {
        for position in fields.indices {
            body(fields.name(at: position))
            body(fields.value(at: position))
        }
    }

    private static func forEach(
        in content: borrowing Body,
        _ maxDecodedBytes: Int,
        _ body: (Span<UInt8>) -> Void
    ) {
        guard !content.bytes.isEmpty else { return }
        guard !content.coding.isEmpty else { return body(content.bytes.span) }
        if let decoded = BodyText.decode(content, limit: maxDecodedBytes) { body(decoded.span) }
    }
}

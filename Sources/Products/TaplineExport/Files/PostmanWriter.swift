// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
package import TaplinePlugin

/// Writes a collection of Postman (format 2.1) with the recorded responses as examples.
///
/// Postman replaces `{{name}}` in all texts and has no escape for it: in URLs, forms and JSON the
/// braces are encoded, elsewhere they stay and are counted.
package final class PostmanWriter: ExportWriter {
    private static let schema =
        "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

    var json = JSONWriter()

    /// Creates a writer.
    package init() {}

    package func start(to output: inout [UInt8]) -> LossReport {
        json.beginObject()
        json.key("info")
        json.beginObject()
        json.member("name", "Tapline")
        json.member("schema", Self.schema)
        json.endObject()
        json.key("protocolProfileBehavior")
        json.beginObject()
        json.key("disableBodyPruning")
        json.bool(true)
        json.key("followRedirects")
        json.bool(false)
        json.key("disableCookies")
        json.bool(true)
        json.endObject()
        json.key("item")
        json.beginArray()
        drain(to: &output)
        return LossReport()
    }

    package func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        guard let request = OutgoingRequest(exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        json.beginObject()
        let path = TargetText.encoded(Array(request.target.prefix { $0 != .ascii("?") }))
        json.member("name", "\(request.method) \(path)")
        json.key("request")
        write(request, exchange, &losses)
        json.key("response")
        json.beginArray()
        if let response = exchange.response, response.status > 0 {
            write(response, of: request, exchange, &losses)
        }
        json.endArray()
        json.endObject()
        drain(to: &output)
        // A comma has to precede the next item.
        json.truncate(to: 0, afterValue: true)
        return losses
    }

    package func finish(to output: inout [UInt8]) -> LossReport {
        json.endArray()
        json.endObject()
        json.separator(0x0A)
        drain(to: &output)
        return LossReport()
    }

    private func drain(to output: inout [UInt8]) {
        output.append(copying: json.bytes)
        json.removeAll()
    }
}

// SPDX-License-Identifier: MIT

package import TaplineModel

/// A request, split into parts for comparison.
package struct RequestParts: Sendable {
    /// The items of a query or a form, by name.
    package typealias Items = [String: [String]]

    let request: Request
    package let method: String
    package let url: String
    package let scheme: String
    package let host: String
    package let port: String
    package let path: String
    package let query: Items
    package let fields: FieldSection
    package let body: Body
    package let content: MessageContent

    package init(_ request: Request) {
        self.request = request
        method = request.method.description
        url = request.url.description
        scheme = request.scheme.description.lowercased()
        host = request.host.description.lowercased()
        port = request.port.map(String.init) ?? ""
        let target = request.target.span
        path = RequestParts.decoded(path: target.extracting(request.pathRange))
        query = RequestParts.items(target, in: request.queryRange)
        fields = request.fields
        body = request.body
        content = MessageContent(request)
    }

    /// Decodes a path.
    ///
    /// Characters that would end a segment or the path stay percent-encoded (RFC
    /// 3986 §2.2).
    private static func decoded(path: Span<UInt8>) -> String {
        let text = String(copying: path)
        return text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let bytes = PercentEncoding.decode(segment.utf8.span, plusIsSpace: false)
            return String(decoding: bytes, as: UTF8.self)
                .replacing("%", with: "%25").replacing("/", with: "%2F").replacing("?", with: "%3F")
        }
        .joined(separator: "/")
    }

    /// Returns the decoded items; those with the same name keep their order.
    static func items(_ bytes: Span<UInt8>, in range: Range<Int>) -> Items {
        var result: Items = [:]
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            result[String(decoding: name, as: UTF8.self), default: []]
                .append(String(decoding: value, as: UTF8.self))
        }
        return result
    }

    /// Returns the values of a field, joined as Foundation joins them.
    package func field(_ name: String) -> String? {
        let values = fields.all(name)
        return values.isEmpty ? nil : values.map(\.description).joined(separator: ", ")
    }
}

extension String {
    /// Creates a text from bytes.
    init(copying bytes: Span<UInt8>) {
        self.init(decoding: Array(copying: bytes), as: UTF8.self)
    }
}

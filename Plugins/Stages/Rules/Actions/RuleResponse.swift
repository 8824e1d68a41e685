// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A response that a rule answers with.
struct RuleResponse: Sendable {
    /// The content of the response.
    enum Content: Sendable {
        case none
        case template(RuleTemplate)
        /// The bytes of a file.
        case file(String, [UInt8])
    }

    var status = 200
    /// The reason phrase; the registered one of the status if `nil`.
    var reason: String?
    var fields: [(name: String, value: RuleTemplate)] = []
    var content = Content.none

    /// The file that the content comes from.
    var file: String? {
        if case .file(let path, _) = content { path } else { nil }
    }

    /// The templates of fields and content.
    var templates: [RuleTemplate] {
        var all = fields.map(\.value)
        if case .template(let template) = content { all.append(template) }
        return all
    }

    /// Creates the response, with the values of an exchange.
    func make(_ values: inout RuleValues, _ exchange: borrowing Exchange) -> Response {
        var response = Response(
            status: status,
            reason: ByteString(reason ?? Response.reason(of: status))
        )
        for field in fields {
            let value = field.value.filled(&values, exchange, .field)
            response.fields.append(name: field.name.utf8.span, value: value.span)
        }
        switch content {
        case .none: response.body = Body([])
        case .file(_, let bytes): response.body = Body(bytes)
        case .template(let template):
            let isJSON = response.mediaType.isJSONMediaType
            response.body = Body(template.filled(&values, exchange, isJSON ? .json : .plain))
        }
        return response
    }
}

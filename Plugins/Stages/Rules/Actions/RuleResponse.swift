// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// A response that a rule answers with.
struct RuleResponse: Sendable {
    /// The content of the response.
    enum Content: Sendable {
        case none
        case template(RuleTemplate)
        /// The bytes of a file.
        case file(RuleFileContent)
    }

    var status = 200
    /// The reason phrase; the registered one of the status if `nil`.
    var reason: String?
    var fields: [(name: String, value: RuleTemplate)] = []
    var content = Content.none

    /// The file that the content comes from.
    var file: String? {
        if case .file(let file) = content { file.path } else { nil }
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
        case .file(let file): response.body = Body(file.bytes)
        case .template(let template):
            let isJSON = response.mediaType.isJSONMediaType
            response.body = Body(template.filled(&values, exchange, isJSON ? .json : .plain))
        }
        return response
    }
}

/// A file that a rule answers with.
struct RuleFileContent: Sendable {
    let path: String
    /// Where the rule names it.
    let location: SourceLocation?
    /// Its bytes; empty until `read`.
    private(set) var bytes: [UInt8] = []

    init(path: String, location: SourceLocation?) {
        self.path = path
        self.location = location
    }

    /// Takes the content of the file, unless it is protected.
    mutating func read(_ files: inout RuleFileContents, into diagnostics: inout Diagnostics) {
        do throws(RuleFileContents.Refusal) {
            bytes = try files.content(of: path)
        } catch {
            diagnostics.error(at: location, error.message)
        }
    }
}

// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
package import TaplinePlugin

/// Writes an OpenAPI 3.1 document that describes what was observed.
///
/// **Shape**: all records of a route are merged: a parameter or property is required if it always
/// occurred. The document is written at the end. Examples come only from exchanges that `redact`
/// changed, and enumerations contain only words.
/// **Limits**: 2000 paths.
package struct OpenAPIWriter: ExportWriter {
    private static let maxPaths = 2000
    private static let methods: Set<String> = [
        "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE",
    ]

    private var paths: [String: ObservedPath] = [:]
    private var servers: Set<String> = []

    /// Creates a writer.
    package init() {}

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        guard let response = exchange.response, 100...599 ~= response.status else {
            losses.count("exchange (no response)")
            return losses
        }
        // What clients could not send does not matter here.
        var ignored = LossReport()
        guard let request = OutgoingRequest(exchange.request, &ignored),
            Self.methods.contains(request.method), request.target != [.ascii("*")]
        else {
            losses.count("exchange (not describable)")
            return losses
        }
        // Everything that is no part of paths is encoded, so that braces mark variables only.
        let text = TargetText.encoded(Array(request.target.prefix { $0 != .ascii("?") }))
        var bytes: [UInt8] = []
        PathTemplate.make(text.utf8.span, into: &bytes)
        let template = String(decoding: bytes, as: UTF8.self)
        guard paths[template] != nil || paths.count < Self.maxPaths else {
            losses.count("path (too many)")
            return losses
        }
        if template.hasSuffix("**") { losses.count("path (cut)") }
        let server = "\(request.scheme)://\(request.authority)"
        servers.insert(server)
        let isRedacted = ExportRedaction.hasChanged(exchange)
        paths[template, default: ObservedPath(template)].observe(text, at: server)
        paths[template]?.operations[request.method.lowercased(), default: ObservedOperation()]
            .observe(exchange, response, isRedacted: isRedacted, &losses)
        return losses
    }

    package mutating func finish(to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        var json = JSONWriter()
        json.beginObject()
        json.member("openapi", "3.1.0")
        json.key("info")
        json.beginObject()
        json.member("title", servers.count == 1 ? servers.first ?? "" : "Observed traffic")
        json.member("version", "0.0.0")
        json.member("description", "Inferred by Tapline from recorded exchanges.")
        json.endObject()
        if !servers.isEmpty {
            json.key("servers")
            ObservedPath.write(servers, to: &json)
        }
        json.key("paths")
        json.beginObject()
        var ids: Set<String> = []
        for template in paths.keys.sorted() {
            guard let path = paths[template] else { continue }
            // Paths of several servers are described together.
            if path.servers.count > 1 { losses.count("server (merged)") }
            json.key(path.template.utf8.span)
            path.write(hasServers: path.servers != servers, &ids, to: &json)
        }
        json.endObject()
        writeSecurity(to: &json)
        json.endObject()
        json.separator(0x0A)
        output.append(copying: json.bytes)
        return losses
    }

    private func writeSecurity(to json: inout JSONWriter) {
        let operations = paths.values.flatMap(\.operations.values)
        let schemes = operations.reduce(into: Set<String>()) { $0.formUnion($1.schemes) }
        guard !schemes.isEmpty else { return }
        json.key("components")
        json.beginObject()
        json.key("securitySchemes")
        json.beginObject()
        for scheme in schemes.sorted() {
            json.key(scheme.utf8.span)
            json.beginObject()
            json.member("type", "http")
            json.member("scheme", scheme)
            json.endObject()
        }
        json.endObject()
        json.endObject()
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// A path template with its methods and the values of its variables.
struct ObservedPath {
    /// The template with a name of its own for each variable: `/users/{id}/orders/{id2}`.
    let template: String
    /// The names of the variables, in order.
    private let names: [String]
    private var values: [ValueShape]
    /// The schemes and authorities at which the path was observed.
    private(set) var servers: Set<String> = []
    /// What was observed, by method in lower case.
    var operations: [String: ObservedOperation] = [:]

    /// Creates a path from a template as `PathTemplate` makes it.
    ///
    /// - Parameter template: The template in ASCII; braces occur as `{id}` only.
    init(_ template: String) {
        var names: [String] = []
        let segments = template.split(separator: "/", omittingEmptySubsequences: false).map {
            text in
            switch text {
            case "{id}":
                let number = names.filter { $0.hasPrefix("id") }.count
                names.append(number == 0 ? "id" : "id\(number + 1)")
                return "{\(names[names.count - 1])}"
            // What exceeds the limits of templates; always last.
            case _ where text.hasSuffix("**"):
                names.append("rest")
                return "{rest}"
            default: return String(text)
            }
        }
        self.template = segments.joined(separator: "/")
        self.names = names
        values = Array(repeating: ValueShape(), count: names.count)
    }

    /// Adds the path of a request.
    ///
    /// - Parameters:
    ///   - path: The path, which has this template.
    ///   - server: Scheme and authority.
    mutating func observe(_ path: String, at server: String) {
        servers.insert(server)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        var position = 0
        for (index, part) in template.split(separator: "/", omittingEmptySubsequences: false)
            .enumerated() where part.hasPrefix("{")
        {
            guard index < segments.count, position < values.count else { return }
            let value = PercentEncoding.decode(segments[index].utf8.span, plusIsSpace: false)
            values[position].observe(text: value.span)
            position += 1
        }
    }

    /// Writes a Path Item Object (OpenAPI 3.1 §4.8.9).
    ///
    /// - Parameters:
    ///   - hasServers: Whether its servers are written, as they are not those of all paths.
    ///   - ids: The operation ids that are in use.
    ///   - json: Where to write.
    func write(hasServers: Bool, _ ids: inout Set<String>, to json: inout JSONWriter) {
        json.beginObject()
        if hasServers {
            json.key("servers")
            Self.write(servers, to: &json)
        }
        if !names.isEmpty {
            json.key("parameters")
            json.beginArray()
            for (name, shape) in zip(names, values) {
                json.beginObject()
                json.member("name", name)
                json.member("in", "path")
                json.member("required", true)
                json.key("schema")
                shape.writeSchema(to: &json)
                json.endObject()
            }
            json.endArray()
        }
        for method in operations.keys.sorted() {
            json.key(method.utf8.span)
            operations[method]?.write(id(of: method, &ids), to: &json)
        }
        json.endObject()
    }

    /// Writes a list of Server Objects.
    static func write(_ servers: Set<String>, to json: inout JSONWriter) {
        json.beginArray()
        for server in servers.sorted() {
            json.beginObject()
            json.member("url", server)
            json.endObject()
        }
        json.endArray()
    }

    /// A name for programs that is unique in the document: `getUsersId`.
    private func id(of method: String, _ ids: inout Set<String>) -> String {
        let words = template.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let base = words.reduce(method) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        var id = base
        var number = 2
        while !ids.insert(id).inserted {
            id = "\(base)_\(number)"
            number += 1
        }
        return id
    }
}

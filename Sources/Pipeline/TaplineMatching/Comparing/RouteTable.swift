// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The routes of compared exchanges, such as `GET /users/{id}`, as numbers.
///
/// **Limits**: 10,000 routes; further ones are one route, `* *`.
struct RouteTable {
    /// A method and the template of a path.
    struct Name: Hashable {
        let method: String
        let route: String
    }

    private static let limit = 10_000

    /// The routes, in the order in which they were found.
    private(set) var names: [Name] = []
    private var numbers: [Name: Int] = [:]
    /// The numbers by what requests contain, before it is cleaned.
    private var raw: [[UInt8]: Int] = [:]
    private var buffer: [UInt8] = []

    /// Returns the number of a request's route.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clean: Returns the request as it may be shown; called once for a route.
    /// - Returns: The number, which is the position in `names`.
    mutating func number(of request: Request, clean: () -> Request?) -> Int {
        let target = request.target.span
        PathTemplate.make(target.extracting(request.pathRange), into: &buffer)
        buffer.append(.ascii(" "))
        buffer.append(copying: request.method.span)
        if let number = raw[buffer] { return number }
        let name: Name
        if raw.count < Self.limit, let shown = clean() {
            let path = shown.target.span
            var template: [UInt8] = []
            PathTemplate.make(path.extracting(shown.pathRange), into: &template)
            let route = Self.word(template.span)
            name = Name(
                method: Self.word(shown.method.span),
                route: route.hasPrefix("/") ? route : "/" + route
            )
        } else {
            name = Name(method: "*", route: "*")
        }
        let number = numbers[name] ?? names.count
        if number == names.count {
            names.append(name)
            numbers[name] = number
        }
        if raw.count < Self.limit { raw[buffer] = number }
        return number
    }

    /// Returns bytes as one word of a rule: blanks, `#` and what is not ASCII are percent-encoded.
    private static func word(_ bytes: Span<UInt8>) -> String {
        var result: [UInt8] = []
        for index in bytes.indices {
            let byte = bytes[index]
            if byte > 0x20, byte < 0x7F, byte != .ascii("#") {
                result.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

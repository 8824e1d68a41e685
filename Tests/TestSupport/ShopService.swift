// SPDX-License-Identifier: MIT

package import TaplineModel

/// A service in memory with logins, orders, one-time tokens and pages.
///
/// Each instance hands out other ids and tokens, and refuses those of others.
package struct ShopService: Sendable {
    private struct Order {
        let user: String
        let name: String
        var revision: String
    }

    private var random: Random
    private var nextOrder: Int
    /// The users by their access token and session cookie.
    private var users: [String: String] = [:]
    private var orders: [Int: Order] = [:]
    private var nonces: Set<String> = []
    /// Cursors of pages and where they begin.
    private var cursors: [String: Int] = [:]
    /// How many orders of nobody each list begins with.
    private let offers: Int

    package init(seed: UInt64, offers: Int = 0) {
        random = Random(seed: seed)
        nextOrder = 1000 + random.below(8000)
        self.offers = offers
    }

    private mutating func token() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return "t7" + String((0..<18).map { _ in random.pick(letters) })
    }

    /// Answers a request.
    package mutating func respond(to request: Request) -> Response {
        let path = request.target.description.split(separator: "?")[0].split(separator: "/")
            .map(String.init)
        switch (request.method.description, path.first, path.count) {
        case ("POST", "login", 1): return login(request)
        case ("GET", "home", 1): return page(request)
        default: break
        }
        guard let user = user(of: request) else { return Response(status: 401) }
        switch (request.method.description, path.count) {
        case ("GET", 1): return list(user, request)
        case ("POST", 1): return add(user)
        case (let method, 2): return order(method, path[1], user, request)
        case (let method, 3): return confirm(method, path[1], user, request)
        default: return Response(status: 404)
        }
    }

    private func user(of request: Request) -> String? {
        let bearer = request.fields.first("Authorization")?.description ?? ""
        let cookies = request.fields.first("Cookie")?.description ?? ""
        guard let user = users[String(bearer.dropFirst(7))],
            users[String(cookies.dropFirst(4))] == user
        else { return nil }
        return user
    }

    private mutating func login(_ request: Request) -> Response {
        let user = String(decoding: request.body.bytes, as: UTF8.self)
        let bearer = token()
        let cookie = token()
        users[bearer] = user
        users[cookie] = user
        var response = json(#"{"access_token":"\#(bearer)","expires_in":3600}"#)
        response.fields.append(name: "Set-Cookie", value: "sid=\(cookie); Path=/")
        return response
    }

    private mutating func page(_ request: Request) -> Response {
        let query = request.target.description.split(separator: "?").dropFirst().first ?? ""
        let cursor = String(query.dropFirst(7))
        guard cursor.isEmpty || cursors[cursor] != nil else { return Response(status: 400) }
        let next = token()
        cursors[next] = (cursors[cursor] ?? 0) + 1
        return json(#"{"items":[1,2,3],"next":"http://shop.test/home?cursor=\#(next)"}"#)
    }

    private func list(_ user: String, _ request: Request) -> Response {
        let offers = (0..<offers).map { #"{"id":\#(9_000_000 + $0),"name":"offer \#($0)"}"# }
        let own = orders.filter { $0.value.user == user }.sorted { $0.key < $1.key }
            .map { #"{"id":\#($0.key),"name":"\#($0.value.name)"}"# }
        return json("[\((offers + own).joined(separator: ","))]")
    }

    private mutating func add(_ user: String) -> Response {
        nextOrder += 1 + random.below(5)
        let count = orders.values.count { $0.user == user }
        let revision = token()
        orders[nextOrder] = Order(user: user, name: "\(user) \(count)", revision: revision)
        var response = json(#"{"order":{"number":\#(nextOrder),"state":"open"}}"#)
        response.status = 201
        response.fields.append(name: "Location", value: "/orders/\(nextOrder)")
        return response
    }

    private mutating func order(
        _ method: String,
        _ id: String,
        _ user: String,
        _ request: Request
    ) -> Response {
        guard let id = Int(id), let order = orders[id], order.user == user else {
            return Response(status: 404)
        }
        if method == "GET" {
            var response = json(#"{"id":\#(id),"name":"\#(order.name)"}"#)
            response.fields.append(name: "ETag", value: "\"\(order.revision)\"")
            return response
        }
        guard request.fields.first("If-Match")?.description == "\"\(order.revision)\"" else {
            return Response(status: 412)
        }
        let revision = token()
        orders[id]?.revision = revision
        return Response(status: 204)
    }

    private mutating func confirm(
        _ method: String,
        _ id: String,
        _ user: String,
        _ request: Request
    ) -> Response {
        guard let id = Int(id), orders[id]?.user == user else { return Response(status: 404) }
        if method == "GET" {
            let nonce = token()
            nonces.insert(nonce)
            var response = Response(fields: ["Content-Type": "text/html"])
            response.body = Body(
                Array("<form><input type=\"hidden\" name=\"nonce\" value=\"\(nonce)\"></form>".utf8)
            )
            return response
        }
        let form = String(decoding: request.body.bytes, as: UTF8.self)
        let nonce = form.split(separator: "&").first { $0.hasPrefix("nonce=") }?.dropFirst(6) ?? ""
        return Response(status: nonces.remove(String(nonce)) == nil ? 409 : 200)
    }

    private func json(_ text: String) -> Response {
        var response = Response(fields: ["Content-Type": "application/json"])
        response.body = Body(Array(text.utf8))
        return response
    }
}

// SPDX-License-Identifier: MIT

internal import LuaStage
internal import TaplineModel
internal import TaplinePlugin

/// Hooks of the stage `lua`, called on exchanges in place, as in a lane.
extension Parts {
    /// The names of the parts, each with the body of a hook.
    private static let hooks = [
        ("lua, an empty hook", ""),
        ("lua, reads a header", "local a = ex.request.headers['Accept']"),
        (
            "lua, reads a header and the path, sets a header",
            "local r = ex.request local a, p = r.headers['Accept'], r.path "
                + "r.headers['X-Bench'] = '1'"
        ),
        (
            "lua, decodes, changes and encodes 1 KB of JSON",
            "local r = ex.request local v = r:json() v.id = 7 r.body = json.encode(v)"
        ),
    ]

    /// About 1 KB of typical JSON.
    private static var kilobyte: [UInt8] {
        let items = (0..<9).map { number in
            #"{"id":\#(number),"name":"item number \#(number)","price":\#(number).99,"#
                + #""tags":["new","sale"],"stock":{"shop":12,"store":\#(number)},"seen":true}"#
        }
        return Array(#"{"id":1,"items":[\#(items.joined(separator: ","))]}"#.utf8)
    }

    func runHooks(_ row: (PartResult?) -> Void) {
        for (name, body) in Self.hooks {
            var copies = exchanges
            if body.contains("json") {
                for position in copies.indices {
                    copies[position].request.body = Body(Self.kilobyte)
                }
            }
            let made = try? StagePlugin.lua.stage("{ code: \"function request(ex) \(body) end\" }")
            guard let stage = made as? any WireStage else { fail("lua cannot be created") }
            var context = ExchangeContext()
            context.hasRequestBody = true
            row(
                measure(name) { position in
                    guard (try? stage.request(&copies[position], &context)) != nil else {
                        fail("threw")
                    }
                }
            )
        }
    }
}

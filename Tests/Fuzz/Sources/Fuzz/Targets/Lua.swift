// SPDX-License-Identifier: MIT

import LuaStage
import TaplineModel
import TaplinePlugin

/// Scripts in the sandbox: any script ends within its time and memory limits, and the process
/// survives.
func fuzzLua(_ input: inout FuzzInput) {
    let isBody = input.below(2) == 0
    let content = isBody ? input.pick(contents) : contents[0]
    let script = input.rest()
    let code =
        isBody
        ? Array("function request(ex) ".utf8) + script
            + Array("\nend response = request record = request message = request".utf8)
        : script
    let options = Array(
        "{max_memory: 1MiB, max_instructions: 20000, max_time: 200ms, code: \"".utf8
    )
    let yaml = String(decoding: options + quoted(code) + Array("\"}".utf8), as: UTF8.self)
    guard let stage = try? StagePlugin.lua.stage(yaml) else { return }
    try? stage.start()
    run(stage, content)
    run(stage, content)
    stage.stop()
}

/// Types and bodies of requests that scripts can parse.
private let contents = [
    ("application/json", #"{"a":[1,2]}"#),
    ("application/x-www-form-urlencoded", "a=1&b=x+y&a=%C3%A9&c"),
    (
        "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b--"
    ),
]

/// Runs all hooks on an exchange; a script may fail, but not trap.
private func run(_ stage: any Stage, _ content: (type: String, body: String)) {
    var exchange = Exchange(
        id: ExchangeID(high: 1, low: 2),
        request: Request(
            method: "POST",
            target: "/a?x=1",
            authority: "shop.test",
            fields: [
                "Host": "shop.test", "Content-Type": content.type, "Cookie": "a=1; b=2",
                "Cookie": "a=3",
            ],
            body: Body(Array(content.body.utf8)),
            trailers: ["X-T": "1"]
        ),
        response: Response(
            status: 200,
            fields: ["X-A": "1", "Set-Cookie": "a=1; Path=/; Secure", "ETag": "x"],
            body: Body(Array("text".utf8)),
            interim: [InterimResponse(status: 103, fields: ["Link": "x"])]
        )
    )
    exchange.connection.tls = TLSInfo(version: "TLSv1.3", sni: "shop.test")
    exchange.original.url = "https://prod.test/"
    exchange.messages = [StreamMessage(direction: .up, bytes: Array("hello".utf8))]
    var context = ExchangeContext()
    context.hasRequestBody = true
    context.hasResponseBody = true
    if let wire = stage as? any WireStage {
        _ = try? wire.request(&exchange, &context)
        _ = try? wire.response(&exchange, &context)
        for var message in exchange.messages {
            _ = try? wire.message(&message, &exchange, &context)
        }
    }
    if let record = stage as? any RecordStage { _ = try? record.record(&exchange, &context) }
}

/// Returns the bytes, escaped for a double-quoted YAML string.
private func quoted(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var output: [UInt8] = []
    for byte in bytes {
        switch byte {
        case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E: output.append(byte)
        default: output += [0x5C, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return output
}

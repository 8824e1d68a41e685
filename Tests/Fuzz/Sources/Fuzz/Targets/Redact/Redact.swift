// SPDX-License-Identifier: MIT

import RedactStage
import TaplineCodings
import TaplineModel
import TaplinePlugin

/// The stage `redact`: a planted secret never survives, and nothing but secrets changes.
func fuzzRedact(_ input: inout FuzzInput) {
    let action = input.below(3)
    switch input.below(7) {
    case 0: checkGenerated(&input)
    case 1: checkAnyJSON(&input, action)
    case 2: checkParts(&input, action)
    case 3: checkEmbedded(&input, action)
    case 4: checkStandIns(&input)
    case 5: checkPlanted(&input, action)
    default: checkBytes(&input)
    }
}

/// The planted secret, which mutations will not produce by chance.
private let secret = Array("Zq7-planted-S3CRET-x9K".utf8)
private let mask = Array("[redacted]".utf8)

/// The mask in URLs, where brackets are encoded; in JSON within a URL, it includes its quotes.
private let urlMask = Array("%5Bredacted%5D".utf8)
private let quotedURLMask = Array("%22%5Bredacted%5D%22".utf8)

/// The mask in a URL that is a query value of another URL.
private let nestedURLMask = Array("%255Bredacted%255D".utf8)
private let quotedNestedURLMask = Array("%2522%255Bredacted%255D%2522".utf8)

private let masks = [quotedURLMask, quotedNestedURLMask, mask, urlMask, nestedURLMask]

nonisolated(unsafe) private let stages: [any RecordStage] = ["mask", "remove", "hash"].map {
    guard let stage = try? StagePlugin.redact.stage("{ action: \($0) }") as? any RecordStage else {
        fatalError("the stage cannot be created")
    }
    return stage
}

private func redacted(_ exchange: Exchange, _ action: Int) -> Exchange {
    var exchange = exchange
    var context = ExchangeContext()
    do {
        _ = try unsafe stages[action].record(&exchange, &context)
        return exchange
    } catch {
        fatalError("the stage threw \(error)")
    }
}

private func request(_ fields: FieldSection = [:], type: String, body: [UInt8]) -> Exchange {
    var fields = fields
    fields.append(name: "Content-Type", value: type)
    return Exchange(
        id: ExchangeID(high: 1, low: 2),
        request: Request(
            method: "POST",
            target: "/",
            authority: "h",
            fields: fields,
            body: Body(body)
        )
    )
}

/// Checks JSON of any shape: exactly the planted values are replaced, and no other byte changes.
private func checkGenerated(_ input: inout FuzzInput) {
    var document = GeneratedJSON(secret: secret, mask: mask)
    document.value(&input, depth: 0)
    let exchange = request(type: "application/json", body: document.text)
    let result = redacted(exchange, 0).request.body.bytes
    require(
        result == document.expected,
        "not only the secrets changed:\n\(String(decoding: document.text, as: UTF8.self))\n\(String(decoding: result, as: UTF8.self))"
    )
    for action in 1...2 {
        let body = redacted(exchange, action).request.body.bytes
        require(!body.contains(secret), "the secret survived")
    }
}

/// Checks that the stage fails closed on invalid JSON around a planted member.
private func checkAnyJSON(_ input: inout FuzzInput, _ action: Int) {
    let before = input.take(input.below(256))
    let after = input.rest()
    guard !before.contains(secret), !after.contains(secret) else { return }
    let planted = Array("{\"password\":\"".utf8) + secret + Array("\",\"a\":[".utf8)
    for type in ["application/json", "application/problem+json; charset=utf-8"] {
        let result = redacted(request(type: type, body: before + planted + after), action)
        require(!result.request.body.bytes.contains(secret), "the secret survived")
    }
}

/// Checks that a planted member of JSON in up to two forms, in a query, a header, a body and a tag,
/// with any bytes around it, is removed from the output and from everything that can be decoded.
private func checkEmbedded(_ input: inout FuzzInput, _ action: Int) {
    var text = Array("{\"user\":\"anna\",\"password\":\"".utf8) + secret + Array("\",\"n\":1}".utf8)
    for _ in 0..<input.below(3) { text = coded(text, input.below(4)) }
    let before = input.take(input.below(64)) + [0x0A]
    let after = [0x0A] + input.rest()
    guard !before.contains(secret), !after.contains(secret) else { return }
    let type = input.pick(["text/plain", "text/html", "", "text/csv", "text/javascript"])
    var exchange = request(type: type, body: before + text + after)
    exchange.request.fields.append(name: "X-Note".utf8.span, value: text.span)
    exchange.request.target = ByteString(Array("/?q=".utf8) + coded(text, 0))
    exchange.tags = ["note": String(decoding: text, as: UTF8.self)]
    let result = redacted(exchange, action)
    for output in [
        result.request.fields.first("X-Note").map { Array(copying: $0.span) } ?? [],
        Array(copying: result.request.target.span), Array((result.tags["note"] ?? "").utf8),
    ] {
        require(
            !holdsSecret(output),
            "the secret survived: \(String(decoding: output, as: UTF8.self))"
        )
    }
}

/// Checks that a secret under a name, in a well-formed body of any type and coding, is removed from
/// the output and from everything that can be decoded.
private func checkPlanted(_ input: inout FuzzInput, _ action: Int) {
    let coding = input.pick(["", "", "gzip", "deflate", "br", "zstd", "utf-16"])
    let planted = PlantedBody(&input, secret: secret)
    var exchange = request(type: planted.type, body: planted.bytes)
    let codings = ContentCoding.list(Array(coding.utf8).span)
    if coding == "utf-16" {
        let text = String(decoding: planted.bytes, as: UTF8.self)
        exchange.request.body.bytes =
            [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    } else if let first = codings.first, let coded = try? first.encode(planted.bytes.span) {
        exchange.request.body = Body(coded)
        exchange.request.body.coding = ByteString(coding)
    }
    let result = redacted(exchange, action)
    let body = result.request.body
    let left = ContentCoding.list(body.coding.span)
    let text = (try? ContentCoding.decode(body.bytes.span, codings: left)) ?? body.bytes
    require(
        !holdsSecret(text),
        "the secret survived as '\(planted.type)', '\(coding)':\n\(String(decoding: planted.bytes, as: UTF8.self))\n\(String(decoding: text, as: UTF8.self))"
    )
}

private func holdsSecret(_ bytes: [UInt8]) -> Bool {
    var walker = EmbeddedWalker()
    var hits: [EmbeddedHit] = []
    _ = walker.walk(bytes.span, appendingTo: &hits) { text, hits in
        var start = 0
        while start + secret.count <= text.count {
            if (0..<secret.count).allSatisfy({ text[start + $0] == secret[$0] }) {
                hits.append(EmbeddedHit(start: start, end: start + secret.count, tag: 0))
            }
            start += 1
        }
    }
    return !hits.isEmpty
}

private func coded(_ text: [UInt8], _ form: Int) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    func hex(_ byte: UInt8) -> [UInt8] { [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    switch form {
    case 0: return text.flatMap { Array("%".utf8) + hex($0) }
    case 1: return text.flatMap { Array("\\u00".utf8) + hex($0) }
    case 2: return text.flatMap { hex($0) }
    default:
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        )
        return stride(from: 0, to: text.count, by: 3).flatMap { start -> [UInt8] in
            let part = text[start..<min(start + 3, text.count)]
            let group = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            return (0...part.count).map { alphabet[group >> (18 - 6 * $0) & 63] }
        }
    }
}

/// Checks query, form, cookies and the URL in Location, with any bytes around the secret.
private func checkParts(_ input: inout FuzzInput, _ action: Int) {
    let before = input.take(input.below(128))
    let after = input.rest()
    guard !before.contains(secret), !after.contains(secret) else { return }
    func planted(_ start: String, _ name: String) -> [UInt8] {
        Array(start.utf8) + before + Array(name.utf8) + secret + Array("&".utf8) + after
    }
    var exchange = request(
        type: "application/x-www-form-urlencoded",
        body: planted("a=", "&password=")
    )
    let url = planted("/a?", "&access_token=")
    exchange.request.target = ByteString(url)
    exchange.request.fields.append(name: "Referer".utf8.span, value: url.span)
    let cookie = planted("", "; sid=")
    exchange.request.fields.append(name: "Cookie".utf8.span, value: cookie.span)
    let token = planted("", "")
    exchange.request.fields.append(name: "Authorization".utf8.span, value: token.span)
    exchange.response = Response(status: 302)
    exchange.response?.fields.append(name: "Location".utf8.span, value: url.span)
    let result = redacted(exchange, action)
    require(!result.request.body.bytes.contains(secret), "the secret survived in the form")
    let target = Array(copying: result.request.target.span)
    require(!target.contains(secret), "the secret survived in the target")
    for fields in [result.request.fields, result.response?.fields ?? [:]] {
        for position in fields.indices {
            let value = Array(copying: fields.value(at: position))
            require(!value.contains(secret), "the secret survived in a field")
        }
    }
}

/// Checks any bytes as any type: the output is the input with parts masked.
private func checkBytes(_ input: inout FuzzInput) {
    let type = input.pick([
        "application/json", "multipart/form-data; boundary=b", "text/event-stream", "text/plain",
        "application/x-www-form-urlencoded", "", "image/png", "text/html", "text/csv",
        "text/javascript",
    ])
    let body = input.rest()
    guard !body.contains(mask), !body.contains(urlMask) else { return }
    // Embedded text that changes is encoded again, so its output is not a part of the input.
    var runs: [EmbeddedRun] = []
    let finder = EmbeddedFinder()
    finder.find(in: body.span, appendingTo: &runs)
    let isPlain = runs.isEmpty && finder.wholeForm(of: body.span) == nil
    var exchange = request(type: type, body: body)
    exchange.tags = ["note": String(decoding: body, as: UTF8.self)]
    exchange.messages = [StreamMessage(direction: .up, type: "text", bytes: body)]
    exchange.request.target = ByteString(body)
    let result = redacted(exchange, 0)
    guard isPlain else { return }
    for output in [
        result.request.body.bytes, result.messages[0].bytes,
        Array(copying: result.request.target.span),
    ] {
        require(
            isMade(output, from: body),
            "not made of the input: \(String(decoding: output, as: UTF8.self))"
        )
    }
}

/// Whether the output is the input with parts replaced by the mask.
private func isMade(_ output: [UInt8], from input: [UInt8]) -> Bool {
    var position = 0
    var start = 0
    var pieces: [[UInt8]] = []
    var index = 0
    while index < output.count {
        let found = masks.first { output[index...].starts(with: $0) }
        if let found {
            pieces.append(Array(output[start..<index]))
            index += found.count
            start = index
        } else {
            index += 1
        }
    }
    pieces.append(Array(output[start...]))
    for (number, piece) in pieces.enumerated() {
        // The quotes of the mask replace those of the value, if it had any.
        let piece = number == 0 ? piece : Array(piece.drop { $0 == 0x22 })
        let text =
            number == pieces.count - 1 ? piece : Array(piece.dropLast(piece.last == 0x22 ? 1 : 0))
        guard let found = firstIndex(of: text, in: input, from: position) else { return false }
        position = found + text.count
    }
    return true
}

private func firstIndex(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard start + wanted.count <= bytes.count else { return nil }
    return (start...(bytes.count - wanted.count)).first {
        bytes[$0..<$0 + wanted.count].elementsEqual(wanted)
    }
}

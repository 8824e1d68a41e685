// SPDX-License-Identifier: MIT

import RedactStage
import TaplineModel
import TaplinePlugin

nonisolated(unsafe) private let stages: [any RecordStage] = ["one key of many", "another of them"]
    .map { key in
        let options = "{ action: pseudonym, key_env: KEY, headers: [x-value] }"
        let environment = ["KEY": "\(key), quite long"]
        let made = try? StagePlugin.redact.stage(options, environment: environment)
        guard let stage = made as? any RecordStage else { fatalError("no stage") }
        return stage
    }

/// Returns the stand-ins for a value under a key, in a field and in JSON.
private func standIns(of value: [UInt8], _ key: Int) -> (field: [UInt8], body: [UInt8]) {
    var json = Array("{\"token\":\"".utf8)
    for byte in value {
        switch byte {
        case 0x22, 0x5C: json += [0x5C, byte]
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            json += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: json.append(byte)
        }
    }
    json += Array("\"}".utf8)
    var exchange = Exchange(
        id: ExchangeID(high: 1, low: 2),
        request: Request(
            method: "POST",
            target: "/",
            authority: "h",
            fields: ["Content-Type": "application/json"],
            body: Body(json)
        )
    )
    exchange.request.fields.append(name: "X-Value".utf8.span, value: value.span)
    var context = ExchangeContext()
    do { _ = try unsafe stages[key].record(&exchange, &context) } catch { fatalError("it threw") }
    let fields = exchange.request.fields
    let last = fields.count - 1
    return (Array(copying: fields.value(at: last)), exchange.request.body.bytes)
}

/// Checks values of any form: a stand-in differs from the value, is deterministic, and keeps JSON
/// valid.
func checkStandIns(_ input: inout FuzzInput) {
    let value = input.rest()
    guard !value.isEmpty, !value.contains(0x25) else { return }
    let made = standIns(of: value, 0)
    require(made.field != value, "the value did not change: \(value)")
    require(made == standIns(of: value, 0), "the second stand-in differs: \(value)")
    require(made.body.starts(with: "{\"token\":\"".utf8), "invalid JSON: \(made.body)")
    require(made.body.suffix(2).elementsEqual("\"}".utf8), "invalid JSON: \(made.body)")
    // Field and JSON have the same stand-in unless it has to be escaped.
    guard !made.field.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return }
    require(made.body.dropFirst(10).dropLast(2).elementsEqual(made.field), "\(value)")
    // Texts that are long enough have different stand-ins under different keys.
    if value.count(where: { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 }) > 24 {
        require(standIns(of: value, 1).field != made.field, "the key has no effect: \(value)")
    }
}

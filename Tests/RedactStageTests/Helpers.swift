// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import RedactStage

/// The result of building a configuration.
struct Built {
    let factory: (any StageFactory)?
    let problems: [String]
    var notes: [String] = []
}

/// Builds the stage from its options in YAML.
func build(
    _ yaml: String,
    environment: [String: String] = ["TAPLINE_REDACT_KEY": "0123456789abcdef"],
    detectors: (any DetectorLibrary)? = FakeDetectors(),
    listener: (any SecretListener)? = nil
) -> Built {
    let environment = Environment(environment)
    let source = ConfigSource(name: "test.yaml", bytes: Array(yaml.utf8))
    var diagnostics = Diagnostics()
    let plugin = StagePlugin.redact
    guard let node = ConfigReader().read(source, into: &diagnostics),
        let options = plugin.description.options.decode(
            node,
            owner: "redact",
            into: &diagnostics,
            environment: environment
        )
    else { return Built(factory: nil, problems: diagnostics.all.map(\.message)) }
    var context = BuildContext(id: "redact", environment: environment, detectors: detectors)
    context.secretListener = listener
    let factory = plugin.build(options, &context)
    let all = context.diagnostics.all
    return Built(
        factory: factory,
        problems: all.filter { $0.severity != .note }.map(\.message),
        notes: all.filter { $0.severity == .note }.map(\.message)
    )
}

/// The factories by their options: building one takes longer than most exchanges.
private let factories = Mutex<[String: any StageFactory]>([:])

/// Returns an exchange as redacted by the stage; the same options are the same run.
func redact(_ exchange: Exchange, _ yaml: String = "{}") throws -> Exchange {
    let known = factories.withLock { $0[yaml] }
    let factory = try #require(known ?? build(yaml).factory)
    if known == nil { factories.withLock { $0[yaml] = factory } }
    let stage = try #require(try factory.makeStage(StageContext(id: "redact")) as? any RecordStage)
    var result = exchange
    var context = ExchangeContext()
    _ = try stage.record(&result, &context)
    return result
}

/// Returns an exchange of a request and a response with a JSON body.
func exchange(
    target: String = "/",
    fields: FieldSection = [:],
    type: String = "",
    body: String = ""
) -> Exchange {
    var all = fields
    if !type.isEmpty { all.append(name: "Content-Type", value: type) }
    return Exchange(
        id: ExchangeID(high: 1, low: 2),
        request: Request(
            method: "POST",
            target: ByteString(target),
            authority: "shop.test",
            fields: all,
            body: Body(Array(body.utf8))
        )
    )
}

/// Returns a request body of a type as redacted by the stage.
func redactBody(
    _ body: String,
    _ type: String = "application/json",
    _ yaml: String = "{}"
) throws
    -> String
{
    let result = try redact(exchange(type: type, body: body), yaml)
    return String(decoding: result.request.body.bytes, as: UTF8.self)
}

/// Returns the value of a request field as redacted by the stage; `nil` if it was removed.
func redactField(_ name: String, _ value: String, _ yaml: String = "{}") throws -> String? {
    try redact(exchange(fields: [name: value]), yaml).request.fields.first(name)?.text
}

// SPDX-License-Identifier: MIT

import RedactStage
import TaplineDetectors
import TaplineModel
import TaplinePlugin
import TaplineProtobuf

/// Redaction of protobuf and gRPC: a planted token survives nowhere, and a readable message stays
/// readable.
func fuzzProtobufEdit(_ input: inout FuzzInput) {
    let isFramed = input.below(2) == 1
    let wraps = input.below(5)
    let kinds = (0..<wraps).map { _ in input.below(4) }
    let place = input.below(1_000)
    let bytes = input.rest()
    // The token in some message, within others.
    var message = token
    for kind in [0] + kinds {
        var output: [UInt8] = []
        switch kind {
        case 0: ProtobufWriter.append(1 + place % 20, message.span, to: &output)
        case 1:
            ProtobufWriter.append(tag: 3, .group, to: &output)
            output += message
            ProtobufWriter.append(tag: 3, .endOfGroup, to: &output)
        case 2:
            output = [0x08, 0x05]
            ProtobufWriter.append(2, message.span, to: &output)
        default:
            output = message + [0x18, 0x01]
        }
        message = output
    }
    let isReadable = ProtobufReader.reads(bytes.span, 0..<bytes.count)
    let planted = isReadable && place % 2 == 0 ? bytes + message : message + bytes
    let found = redacted(planted, isFramed)
    require(!holds(found, token), "the token survived")
    guard isReadable, !isFramed, found != mask else { return }
    require(ProtobufReader.reads(found.span, 0..<found.count), "the message became unreadable")
}

private let token = Array("PLANTED-907162534118".utf8)
private let mask = Array("[redacted]".utf8)

nonisolated(unsafe) private let stage: any RecordStage = {
    let yaml = "{ keep_types: ['*'], patterns: [{ name: planted, regex: 'PLANTED-[0-9]{12}' }] }"
    let detectors = PluginRegistry.detectors.detectors
    let made = try? StagePlugin.redact.stage(yaml, detectors: detectors)
    guard let stage = made as? any RecordStage else {
        fatalError("the stage cannot be created")
    }
    return stage
}()

private func redacted(_ bytes: [UInt8], _ isFramed: Bool) -> [UInt8] {
    let type = isFramed ? "application/grpc" : "application/x-protobuf"
    var body = bytes
    if isFramed {
        let count = UInt32(clamping: bytes.count)
        body = [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) } + bytes
    }
    var exchange = Exchange(
        id: ExchangeID(high: 1, low: 2),
        request: Request(method: "POST", fields: ["Content-Type": type], body: Body(body))
    )
    var context = ExchangeContext()
    do {
        _ = try unsafe stage.record(&exchange, &context)
        return exchange.request.body.bytes
    } catch {
        fatalError("the stage threw \(error)")
    }
}

private func holds(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
    bytes.span.contains(text.span, ignoringCase: false)
}

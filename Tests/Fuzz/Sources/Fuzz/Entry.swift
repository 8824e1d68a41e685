// SPDX-License-Identifier: MIT

import Glibc

/// Checks what must hold for any input, and ends the process if it does not.
private typealias Target = @Sendable (inout FuzzInput) -> Void

/// The targets by name.
private let targets: [String: Target] = [
    "Config": fuzzConfig,
    "DNS": fuzzDNS,
    "Detectors": fuzzDetectors,
    "Embedded": fuzzEmbedded,
    "Fields": fuzzFields,
    "Filter": fuzzFilter,
    "FilterSQL": fuzzFilterSQL,
    "GRPC": fuzzGRPC,
    "HAR": fuzzHAR,
    "HTTP": fuzzHTTP,
    "HTTP2": fuzzHTTP2,
    "Import": fuzzImport,
    "Lua": fuzzLua,
    "Multipart": fuzzMultipart,
    "NDJSON": fuzzNDJSON,
    "Protobuf": fuzzProtobuf,
    "ProtobufEdit": fuzzProtobufEdit,
    "Recording": fuzzRecording,
    "Redact": fuzzRedact,
    "Rules": fuzzRules,
    "Script": fuzzScript,
    "Segments": fuzzSegments,
    "TLS": fuzzTLS,
    "Texts": fuzzTexts,
]

/// The target that the variable `FUZZ_TARGET` names.
private let target: Target = {
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET is '\(name)'; use \(targets.keys.sorted())")
    }
    return target
}()

/// Runs the target on the bytes that libFuzzer, which provides `main`, passes.
@_cdecl("LLVMFuzzerTestOneInput")
public func runTarget(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(bytes: unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    target(&input)
    return 0
}

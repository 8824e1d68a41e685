// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineJSON
import TaplineModel
import Testing

@testable import RedactStage

/// Rules for a field apply to each copy that sources make of its value.
@Suite struct CopiedFieldTests {
    private static let secret = "qz81XvKw7Rt3Lm9Hd"

    /// Returns an exchange whose response has a field with the secret, and all copies of it.
    private func copied(_ name: String) -> Exchange {
        var full = exchange(type: "application/grpc")
        var response = Response(fields: [name: Self.secret])
        switch name {
        case "grpc-message":
            response.trailers = [name: Self.secret]
            var extra = ExchangeExtra()
            extra.grpc = GRPCFacts(service: "s", method: "m", status: 5, message: Self.secret)
            full.extra = extra
            full.tags = [GRPCCall.messageTag: Self.secret]
        case "Alt-Svc": full.tags = [Tags.alternatives: Self.secret]
        case "Content-Type": response.body.contentType = ByteString(Self.secret)
        default: response.body.coding = ByteString(Self.secret)
        }
        full.response = response
        return full
    }

    private func encoded(_ exchange: Exchange) -> String {
        var writer = JSONWriter()
        writer.exchange(exchange)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }

    @Test(
        arguments: ["grpc-message", "Alt-Svc", "Content-Type", "Content-Encoding"],
        ["mask", "remove", "hash"]
    )
    func nothingOfAFieldSurvivesInACopy(name: String, action: String) throws {
        let full = copied(name)
        #expect(encoded(full).contains(Self.secret))
        for preset in ["none", "standard"] {
            let yaml = "{preset: \(preset), headers: ['\(name)'], action: \(action)}"
            #expect(!encoded(try redact(full, yaml)).contains(Self.secret), "\(preset)")
        }
        // Another rule leaves the copies as they are.
        let other = try redact(full, "{preset: none, headers: [x-other], action: \(action)}")
        #expect(encoded(other) == encoded(full))
    }

    @Test func namesOfACallAreThoseOfTheRedactedPath() throws {
        var full = copied("grpc-message")
        let secret = "8f3a9c04d1e2b7a6c5"
        full.request.target = ByteString("/reset-password/\(secret)?x=1")
        full.extra?.grpc?.service = "reset-password"
        full.extra?.grpc?.method = secret
        let found = try redact(full)
        #expect(!encoded(found).contains(secret))
        #expect(found.extra?.grpc?.service == "reset-password")
        #expect(found.extra?.grpc?.method.isEmpty == false)
        full.request.target = "/reset-password/word?x=1"
        full.extra?.grpc?.method = "word"
        #expect(try redact(full).extra?.grpc?.method == "word")
    }

    @Test func aRemovedStatusIsRemovedFromTagAndCall() throws {
        var full = copied("grpc-message")
        full.tags[GRPCCall.statusTag] = "NOT_FOUND"
        full.response?.trailers.append(name: "grpc-status", value: "5")
        let found = try redact(full, "{preset: none, headers: [grpc-status], action: remove}")
        #expect(found.tags[GRPCCall.statusTag] == nil)
        #expect(found.extra?.grpc?.status == nil)
        #expect(found.extra?.grpc?.message == Self.secret)
        #expect(GRPCCall.status(found) == nil)
    }

    @Test func detectorsSearchTheNameOfAnUnknownCoding() throws {
        var full = exchange()
        full.request.body = Body(bytes: [1, 2, 3], size: 3, coding: "SK-A1B2C3D4E5F6G7H8")
        let found = try redact(full, "{preset: none, detectors: standard}")
        #expect(found.request.body.coding == "[redacted]")
        full.request.body.coding = "x-own"
        let other = try redact(full, "{preset: none, detectors: standard}")
        #expect(other.request.body.coding == "x-own")
    }
}

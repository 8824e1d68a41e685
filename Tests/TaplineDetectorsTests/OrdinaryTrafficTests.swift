// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@Suite("In ordinary traffic")
struct OrdinaryTrafficTests {
    private static let root = TestFiles.repository

    private static func bytes(of path: String) throws -> [UInt8] {
        try TestFiles.bytes(of: "\(root)/\(path)")
    }

    /// Returns all texts of the shop's recording, each field value separately.
    private static func texts() throws -> [[UInt8]] {
        let recording = try bytes(of: "Examples/recordings/shop.har")
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "shop.har", maxRecordBytes: 1 << 24)
        try reader.read(recording.span) { element in
            if case .success(let exchange) = element { exchanges.append(exchange) }
        }
        return exchanges.flatMap(texts(of:))
    }

    private static func texts(of exchange: Exchange) -> [[UInt8]] {
        let fields = [exchange.request.fields, exchange.response?.fields ?? [:]]
        return fields.flatMap { fields in
            fields.indices.map { Array(copying: fields.value(at: $0)) }
        } + [
            Array(copying: exchange.request.target.span), exchange.request.body.bytes,
            exchange.response?.body.bytes ?? [],
        ] + exchange.messages.map(\.bytes)
    }

    @Test("the standard detectors find exactly the planted secrets")
    func shop() throws {
        let secrets = String(
            decoding: try Self.bytes(of: "Examples/shop/secrets.txt"),
            as: UTF8.self
        )
        .split(separator: "\n").map(String.init)
        let scan = try Scan()
        let texts = try Self.texts()
        #expect(texts.count > 500)
        var found: Set<Scan.Finding> = []
        for text in texts { found.formUnion(scan(String(decoding: text, as: UTF8.self))) }
        let chance = found.filter { finding in
            !secrets.contains { finding.text.contains($0) }
        }
        #expect(chance.isEmpty)
        #expect(Set(found.map(\.kind)).isSuperset(of: ["jwt", "aws_access_key", "card_number"]))
    }

    /// Harmless texts of ordinary traffic that resemble secrets.
    private static let ordinary: [String] = {
        var make = Samples()
        return [
            make.uuid(), make.uuid().uppercased(), make.hex(32), make.hex(40), make.hex(64),
            make.hex(128), "sha256:" + make.hex(64), "sha512-" + make.any(86) + "==",
            "W/\"" + make.hex(32) + "\"", "data:image/png;base64," + make.any(20_000) + "==",
            "2026-11-20T14:03:00.123456+01:00", "1795183380123", "1795183380123456789",
            "0.30000000000000004", "3.141592653589793", "-122.41941550000001",
            "1.2.840.113549.1.1.11", "00-" + make.hex(32) + "-" + make.hex(16) + "-01",
            "Root=1-67891233-" + make.hex(24), "app." + make.hex(20) + ".js?v=1.2.3",
            "logo@2x.png 1x, logo@3x.png 2x", "@media (max-width:40em){a::before{content:'@'}}",
            "a=>b&&c(d@e)", "//# sourceMappingURL=app.min.js.map", "npm i react@18.2.0",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
            "The bearer of this key has basic access: information, authorization, permission.",
            "password: required, password must have 8 characters", "key-value-store-of-the-shop",
            "sk-button-primary-large-outlined-with-icon", "pk_test_ is no secret, live_ and hf_",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36",
            "multipart/form-data; boundary=----WebKitFormBoundary" + make.any(16),
            "https://shop.test:8443/a/b/c?x=1&y=2#frag", "ws://localhost:8080/@vite/client",
            "urn:uuid:" + make.uuid(), "ISBN 978-3-16-148410-0", "DE12 is a room, GB82 WEST too",
            "{\"basic\":true,\"bearer\":null,\"jwt\":false,\"iban\":\"\",\"card\":null}",
            "cache-key-" + make.hex(32), "shop-api-" + make.uuid(), "task-" + make.hex(40),
            "live_chat_widget_enabled_for_all_users_2026",
            "secret_of_the_very_long_name_that_has_no_end",
            "key-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "sk-abcdefghijklmnopqrstuvwxyzabcdefghijkl",
            // Names, hashes and identifiers that begin or end like tokens.
            "compat.pat.sat.js", "pat.example.com", "sat." + make.hex(22), "API-REFERENCE-GUIDE",
            "API-VERSIONINGANDDEPRECATIONPOLICY", "ico-arrow-right",
            "ico-chevronDownLargeOutlinedFilled",
            "tk-us-east-1", "sm_pat_name", "sm_aat_" + make.hex(8), "4b1d", "4b1d" + make.hex(36),
            "4b1d" + make.hex(38), "4b1d" + make.hex(60), "fio-u-" + make.hex(12),
            "u-s4t2ud-login-page", "the_name_of_an_option_that_is_long_mmk", make.hex(40) + "_mmk",
            "text_area.name.acc_total.sum", "sc_product.1234.acc_name.x", "ext_js.core.access",
            "s.addEventListenerForEvent1(a)", "this.s.sha256HashOfTheContent24",
            "s.abcdefghijklmnopqrstuvwx",
            "s.ABCDEFGHIJKLMNOPQRSTUVW1", "s." + make.hex(24), "e.s.getElementById", "items. Next",
            "fm2_channel", "fm1r_", "bedrock-api-key-name", "bedrock-api-key-of-the-shop-in-europe",
            "xoxa-your-token", "xoxr-placeholder", "xoxb-not-a-token", "FLWSECK_TEST-",
            "FLWPUBK-x-X",
            "sk_prod_name", "123456789012345|the-name-of-a-product-in-the-shop",
            "1234567890123456|" + make.hex(12), "12345|" + make.hex(32), "1|2|3", "a|b",
            "#EAAA00 #AKIA00", "eyJ is how a token begins", make.digits(20), make.digits(30),
        ]
    }()

    @Test("the standard detectors find nothing in ids, hashes, times, images, programs and prose")
    func ordinary() throws {
        let scan = try Scan()
        for text in Self.ordinary {
            #expect(scan(text).isEmpty, "\(text.prefix(80))")
            #expect(scan("{\"value\":\"\(text)\",\"n\":1}").isEmpty, "\(text.prefix(80))")
        }
        #expect(scan(Self.ordinary.joined(separator: "\n")).isEmpty)
        #expect(scan(Self.ordinary.joined(separator: "\",\"")).isEmpty)
    }
}

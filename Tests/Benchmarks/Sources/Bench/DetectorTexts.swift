// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineDetectors
internal import TaplinePlugin

/// The time that detectors take for texts, from a field's value to the worst case.
struct DetectorTexts {
    /// The result of scanning a text repeatedly.
    struct Row {
        let name: String
        let bytes: Int
        /// The time of one scan, in nanoseconds.
        let time: Double
        let findings: Int
    }

    /// The size of the texts that repeat a lure.
    private static let length = 1 << 20

    /// The short texts that trigger checks.
    private static let lures = [
        "@", "a@b.", "a:b@", "://a:b@", "4", "4111 ", "4111111111111111 ", "DE89 3704 ", "eyJ",
        "eyJ.", "eyJhbGciOiJub25lIn0.", "AKIA", "AKIA ", "sk-", "sl.a", "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----", "bearer ", "basic YTpi", "heroku=", "session_token=A",
        ";password=a", "user=;password=a", "\\n", "%41", ":AA", "-us1", "Private-Lines: 1",
    ]

    private let scanner: any SecretScanner

    init() {
        var diagnostics = Diagnostics()
        let library = PluginRegistry.detectors.detectors
        let set = library?.build(DetectorChoice(standard: true), into: &diagnostics)
        guard let scanner = try? set?.makeScanner() else { fail("no detectors") }
        self.scanner = scanner
    }

    /// Scans all texts, and calls `row` after each one.
    func run(seconds: Double, _ row: (Row) -> Void) {
        let orders = Self.orders(Self.length)
        row(measure("a field's value", Array("text/html; charset=utf-8; v=1".utf8), seconds))
        for (name, length) in [("500 B", 500), ("8 KiB", 8 << 10), ("1 MiB", 1 << 20)] {
            row(measure("JSON of \(name)", Array(orders.prefix(length)), seconds))
        }
        for lure in Self.lures {
            let unit = Array(lure.utf8)
            let text = (0..<Self.length).map { unit[$0 % unit.count] }
            let name = lure.replacing("\\", with: "\\\\")
            row(measure("`\(name)` repeated", text, seconds))
        }
    }

    private func measure(_ name: String, _ text: [UInt8], _ seconds: Double) -> Row {
        var findings: [SecretFinding] = []
        var count = 0
        var usage = Usage(processor: 0, wall: 0)
        var rounds = 1
        // Double the number of scans until they take long enough.
        while true {
            usage = Usage.of {
                for _ in 0..<rounds {
                    findings.removeAll(keepingCapacity: true)
                    scanner.scan(text.span, into: &findings)
                    count = findings.count
                }
            }
            if usage.processor >= seconds * 1e6 || rounds > 1 << 30 { break }
            rounds *= 2
        }
        return Row(
            name: name,
            bytes: text.count,
            time: usage.processor * 1_000 / Double(rounds),
            findings: count
        )
    }

    /// JSON of a shop's response, with an e-mail address in each order of about 700 bytes.
    private static func orders(_ length: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func random() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        func hex(_ digits: Int) -> String {
            var text = ""
            while text.utf8.count < digits { text += String(random() | 1 << 63, radix: 16) }
            return String(text.prefix(digits))
        }
        var text = Array("{\"orders\":[".utf8)
        while text.count < length {
            let number = random() % 100_000
            let id = "\(hex(8))-\(hex(4))-4\(hex(3))-8\(hex(3))-\(hex(12))"
            text +=
                """
                {"id":"\(id)","number":\(number),"created_at":"2026-11-20T14:03:00.\(number)Z",\
                "updated":1795183380\(number % 1000),"total":\(number % 500).9\(number % 10),"currency":"EUR",\
                "customer":{"name":"Jane Doe","email":"jane\(number)@shop.test","city":"Berlin","zip":"10115"},\
                "items":[{"sku":"A-\(number % 777)","title":"Blue mug, 300 ml, dishwasher safe","quantity":2,\
                "price":12.5,"image":"https://img.shop.test/mugs/\(hex(16)).jpg?w=640&h=480"},\
                {"sku":"B-\(number % 333)","title":"A key ring with a bearer of good news","quantity":1,\
                "price":4.0,"image":"https://img.shop.test/rings/\(hex(16)).jpg?w=640&h=480"}],\
                "shipping":{"method":"standard","basic":true,"tracking":null,"eta_days":3},\
                "etag":"\(hex(40))","notes":"Please leave it with the neighbours if nobody is at home."},
                """.utf8
        }
        return text
    }
}

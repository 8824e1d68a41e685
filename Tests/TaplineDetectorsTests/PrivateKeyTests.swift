// SPDX-License-Identifier: MIT

import Testing

/// Text with the form of private keys, but without real keys.
private enum Armour {
    static let line = String(repeating: "MIIEvQIBADANBgkqhk/+", count: 3) + "G9w0"
    static let dashes = "-----"
    static let word = "PRIVATE" + " KEY"

    static func key(_ label: String, _ end: String = "\n", fields: String = "") -> String {
        [
            "\(dashes)BEGIN \(label)\(dashes)", fields + line, line, "AQID==",
            "\(dashes)END \(label)\(dashes)",
        ].joined(separator: end)
    }
}

@Suite("Private keys")
struct PrivateKeyTests {
    @Test(
        "are found in armour of every kind, from the first to the last dash",
        arguments: ["", "RSA ", "EC ", "DSA ", "ENCRYPTED ", "OPENSSH ", "ED25519 "]
    )
    func armour(kind: String) throws {
        let scan = try Scan(["private_key"])
        for end in ["\n", "\r\n", "\\n", "\\r\\n", " ", "\\\\n"] {
            let key = Armour.key(kind + Armour.word, end)
            #expect(scan.texts(key) == [key])
            #expect(scan.texts("{\"key\":\"\(key)\\n\",\"a\":1}") == [key])
        }
    }

    @Test("are found with fields before the base64, of PGP and of SSH2")
    func fields() throws {
        let scan = try Scan(["private_key"])
        for key in [
            Armour.key(
                "RSA " + Armour.word,
                fields: "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n"
            ),
            Armour.key("PGP \(Armour.word) BLOCK", fields: "Version: GnuPG v2.1 (Linux)\n\n"),
        ] {
            #expect(scan.texts("a \(key) b") == [key])
        }
        let ssh = Armour.key("SSH2 ENCRYPTED " + Armour.word).replacing("-----", with: "----")
        #expect(scan.texts("a\n\(ssh)\nb").count == 1)
    }

    @Test("are found as far as they go if the end is missing")
    func cut() throws {
        let key = Armour.key("RSA " + Armour.word)
        let cut = String(key.prefix(120))
        #expect(try Scan(["private_key"]).texts(cut) == [cut])
    }

    @Test("are one finding each")
    func several() throws {
        let first = Armour.key("EC " + Armour.word)
        let second = Armour.key(Armour.word)
        let certificate = Armour.key("CERTIFICATE")
        let scan = try Scan(["private_key"])
        #expect(scan.texts("\(first)\n\(certificate)\n\(second)") == [first, second])
    }

    @Test(
        "are not reported for public keys, labels alone and prose",
        arguments: [
            Armour.key("PUBLIC KEY"), Armour.key("CERTIFICATE"),
            "-----BEGIN RSA " + Armour.word + "-----",
            "keep your " + Armour.word + " safe", Armour.word, "-----BEGIN " + Armour.word,
            "BEGIN " + Armour.word + "-----",
            "-----BEGIN " + Armour.word + "-----\n<your key here>\n-----END " + Armour.word
                + "-----",
        ]
    )
    func none(text: String) throws {
        #expect(try Scan(["private_key"]).texts(text).isEmpty)
    }

    @Test("are found as the private lines of a PuTTY file")
    func putty() throws {
        let file =
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\n"
            + "\(Armour.line)\n\(Armour.line)\nPrivate-"
            + "Lines: 1\n\(Armour.line)\nPrivate-MAC: 0a1b\n"
        let found = try Scan(["private_key"]).texts(file)
        #expect(found == ["\n\(Armour.line)\n"])
        #expect(try Scan(["private_key"]).texts("Private-" + "Lines: none").isEmpty)
    }
}

// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct HashAlgorithmTests {
    private func hex(_ value: HashValue) -> String {
        var text = ""
        let bytes = value.bytes
        for index in bytes.indices {
            let digits = String(bytes[index], radix: 16)
            text += (digits.count == 1 ? "0" : "") + digits
        }
        return text
    }

    /// Computed with Python's hashlib; "abc" is the example of RFC 1321 and FIPS 180-4.
    @Test(
        arguments: [
            (
                .md5, "",
                "d41d8cd98f00b204e9800998ecf8427e"
            ),
            (
                .md5, "abc",
                "900150983cd24fb0d6963f7d28e17f72"
            ),
            (
                .md5, String(repeating: "a", count: 1000),
                "cabe45dcc9ae5b66ba86600cca6b8ba8"
            ),
            (
                .sha1, "",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709"
            ),
            (
                .sha1, "abc",
                "a9993e364706816aba3e25717850c26c9cd0d89d"
            ),
            (
                .sha1, String(repeating: "a", count: 1000),
                "291e9a6c66994949b57ba5e650361e98fc36b1ba"
            ),
            (
                .sha256, "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            ),
            (
                .sha256, "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ),
            (
                .sha256, String(repeating: "a", count: 1000),
                "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
            ),
            (
                .sha384, "",
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
                    + "274edebfe76f65fbd51ad2f14898b95b"
            ),
            (
                .sha384, "abc",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    + "8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha384, String(repeating: "a", count: 1000),
                "f54480689c6b0b11d0303285d9a81b21a93bca6ba5a1b4472765dca4da45ee32"
                    + "8082d469c650cd3b61b16d3266ab8ced"
            ),
            (
                .sha512, "",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                .sha512, String(repeating: "a", count: 1000),
                "67ba5535a46e3f86dbfbed8cbbaf0125c76ed549ff8b0b9e03e0c88cf90fa634"
                    + "fa7b12b47d77b694de488ace8d9a65967dc96df599727d3292a8d9d447709c97"
            ),
        ] as [(HashAlgorithm, String, String)]
    )
    func hashesKnownTexts(_ algorithm: HashAlgorithm, _ text: String, _ expected: String) {
        #expect(hex(algorithm.hash(text.utf8.span)) == expected)
    }

    /// Computed with Python's hmac, for keys of 0x0b bytes around the block size, as in RFC 2202
    /// §2.
    @Test(
        arguments: [
            (
                .md5, 0,
                "72c33c78cac0b7a581ac263a344ed01d"
            ),
            (
                .md5, 20,
                "5ccec34ea9656392457fa1ac27f08fbc"
            ),
            (
                .md5, 64,
                "9901fb2cc405836204730f2a3d553855"
            ),
            (
                .md5, 65,
                "d6075bee4d9180d8d1a299295e7cc9cb"
            ),
            (
                .md5, 128,
                "3404bb322aeb05df07c4283034eb2138"
            ),
            (
                .md5, 129,
                "b32e88b0e61c45c20f288e2488369fc3"
            ),
            (
                .md5, 200,
                "cab793ca29bfe5c5b5770e1e177b9efb"
            ),
            (
                .sha1, 0,
                "69536cc84eee5fe51c5b051aff8485f5c9ef0b58"
            ),
            (
                .sha1, 20,
                "b617318655057264e28bc0b6fb378c8ef146be00"
            ),
            (
                .sha1, 64,
                "bfd6d75de604eac8ff790d0ed62b944d42a4f95c"
            ),
            (
                .sha1, 65,
                "29daa9e9cc4b9f094829dcd403c06927d8a95393"
            ),
            (
                .sha1, 128,
                "f71acb933ebe32c2730e7cf4475ccbeee9a4b60e"
            ),
            (
                .sha1, 129,
                "203a04d60cbce00cee8d8fc719cac3913298c5c3"
            ),
            (
                .sha1, 200,
                "4bba7241216b66a2567ff24b11f86d7b5ce119f8"
            ),
            (
                .sha256, 0,
                "e48411262715c8370cd5e7bf8e82bef53bd53712d007f3429351843b77c7bb9b"
            ),
            (
                .sha256, 20,
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                .sha256, 64,
                "21cd586aeca0579d99a1c938127c92525a371f807bc5ba6eb78bc825bd4f2be3"
            ),
            (
                .sha256, 65,
                "727b82fba264393c5d67fd6d6ad783e9019a1fa6a857fccb70f5852f04be5d5d"
            ),
            (
                .sha256, 128,
                "727580fd7995ba62c30f72f2b8aac5a29655834e1e1d90250a9210a1b0b37e44"
            ),
            (
                .sha256, 129,
                "3cc4417a6beab1963c698905aa98954179bd62d62d8cd56a5b5d0f53e8a0ee0e"
            ),
            (
                .sha256, 200,
                "11b1352b425a43355dd2662e4e23bbb518de5a52f6a68ba2ef61409fd83f28fa"
            ),
            (
                .sha384, 0,
                "da5393cef424a670d6db42c6ed6e7920779dfa4cbb98bf1c2e9c12ae10d10905"
                    + "d0c9e9d576c2a613be54b8daea246d4b"
            ),
            (
                .sha384, 20,
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
                    + "faea9ea9076ede7f4af152e8b2fa9cb6"
            ),
            (
                .sha384, 64,
                "51b2151ae771770f36cc6c5d63de41fcfebab0900a22b41cb81e12209215337e"
                    + "5d5384201f6dc3ca9f92764c503380e6"
            ),
            (
                .sha384, 65,
                "4d04e0b2dd619b0b9bb7b45f7670c029570fa277cabef0696d2e7feebcca84d9"
                    + "d13c4c0f0cac5fe90956024f6eba6ae1"
            ),
            (
                .sha384, 128,
                "526be3f121924da767b31c674f42eec1b6e0fe7e448cc9430e485978717e4b45"
                    + "e6c58e0747d9874e5b6d663cebbe73f4"
            ),
            (
                .sha384, 129,
                "69e3af6238a86c8c34ac43afceca4e57e8ccd0e2fecd7ab0396c4234cbca8107"
                    + "9a05bed8ac191e43a87464b3f0c5071a"
            ),
            (
                .sha384, 200,
                "f7b5870e1d6cd9338884376a64a2b9ef6c463ed643262e66cb5a4cd4d9d8dd33"
                    + "db241306d6a125e24e3bf8280ee41197"
            ),
            (
                .sha512, 0,
                "f7688a104326d36c1940f6d28d746c0661d383e0d14fe8a04649444777610f5d"
                    + "d9565a36846ab9e9e734cf380d3a070d8ef021b5f3a50c481710a464968e3419"
            ),
            (
                .sha512, 20,
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
            ),
            (
                .sha512, 64,
                "637edc6e01dce7e6742a99451aae82df23da3e92439e590e43e761b33e910fb8"
                    + "ac2878ebd5803f6f0b61dbce5e251ff8789a4722c1be65aea45fd464e89f8f5b"
            ),
            (
                .sha512, 65,
                "384b335da81cfdf7750c22146076425b13fea820401a43e60362a66b8729136a"
                    + "be161b266edcc46b168904a7c0f40234f2931d9359d65c6dd1b07080dfa41e3f"
            ),
            (
                .sha512, 128,
                "e0853e8ef09d70a6ae8431a46c5c87590e12ad57f6ab11504a15bf500b431c11"
                    + "2501952fe1fdcdc6464e3b16d26a070252abd243a0efafb5cd46fc11c6934658"
            ),
            (
                .sha512, 129,
                "aa1c23fe040c4f3e6545a9154e339d17ffb5272e0a545b84d38b9bf8e2c7464d"
                    + "f2d62bb5000557686f8510eb4302a0cae6b5dd1f3700beaede755f86fdbeb48f"
            ),
            (
                .sha512, 200,
                "f8d7003ab946799a4be8abee68369e52dd52faefca72d5edd7e5aa2fc477909a"
                    + "e24fa26aecb4a0346e028ef116b95a4da4cf96b68838debd8b46eb2a397bdd81"
            ),
        ] as [(HashAlgorithm, Int, String)]
    )
    func authenticatesWithKeysOfAnyLength(
        _ algorithm: HashAlgorithm,
        _ keyLength: Int,
        _ expected: String
    ) {
        let key = [UInt8](repeating: 0x0b, count: keyLength)
        #expect(hex(algorithm.authenticate("Hi There".utf8.span, key: key.span)) == expected)
    }

    @Test func sha256MatchesTheDedicatedTypes() {
        let key = Array(0..<100 as Range<UInt8>)
        let message = Array("message".utf8)
        #expect(hex(HashAlgorithm.sha256.hash(message.span)) == SHA256.hash(message.span).hex)
        #expect(
            hex(HashAlgorithm.sha256.authenticate(message.span, key: key.span))
                == HMACSHA256(key: key.span).authenticate(message.span).hex
        )
    }

    @Test(arguments: [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "", false), ("", "a", false),
        ("abc", "abd", false), ("abc", "abcd", false),
    ])
    func comparesInConstantTime(_ left: String, _ right: String, _ isEqual: Bool) {
        #expect(left.utf8.span.equalsInConstantTime(right.utf8.span) == isEqual)
    }
}

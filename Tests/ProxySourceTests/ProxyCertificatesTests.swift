// SPDX-License-Identifier: MIT

import TaplineCertificates
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineSystem
import Testing

@testable import ProxySource

@Suite("The tools for the authority")
struct ProxyCertificatesTests {
    private func withPlace(_ work: (AuthorityLocation) throws -> Void) throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tools")
        defer { try? FileSystem.removeFolder(folder) }
        try work(AuthorityLocation(environment: Environment(["XDG_DATA_HOME": folder])))
    }

    @Test("come with the plugin, and create an authority only on request")
    func open() throws {
        try withPlace { place in
            let tools = try #require(SourcePlugin.proxy.certificates)
            let missing = #expect(throws: CertificateError.self) {
                _ = try tools.open(place, false)
            }
            #expect(missing?.message.hasSuffix("/tapline/ca' yet") == true)
            #expect(missing?.help == "'tapline ca trust' creates one")
            let made = try tools.open(place, true)
            let again = try tools.open(place, false)
            #expect(made.root.fingerprint == again.root.fingerprint)
            #expect(made.root.fingerprint.count == 32)
            #expect(made.root.subject.hasPrefix("O=Tapline, CN=Tapline CA "))
            #expect(made.root.path == "\(made.root.folder)/root.pem")
            #expect(made.root.notAfter.microseconds - made.root.notBefore.microseconds > 0)
            let relative = AuthorityLocation(folder: "no/ca", environment: Environment())
            let error = #expect(throws: CertificateError.self) {
                _ = try tools.open(relative, false)
            }
            #expect(error?.message.contains("'/") == true)
            let nowhere = AuthorityLocation(environment: Environment())
            let withoutFolder = #expect(throws: CertificateError.self) {
                _ = try tools.open(nowhere, true)
            }
            #expect(withoutFolder?.help == "name a folder with '--ca'")
        }
    }

    @Test("export the certificate in each form, but never the key")
    func export() throws {
        try withPlace { place in
            let kept = try CertificateTools.proxy.open(place, true)
            let pem = try kept.export(.pem)
            let der = try kept.export(.der)
            let bundle = try kept.export(.bundle)
            #expect(try read(kept.root.path) == pem)
            #expect(der.prefix(2) == [0x30, 0x82])
            #expect(Array(bundle.suffix(pem.count)) == pem)
            for bytes in [pem, der, bundle] {
                #expect(!String(decoding: bytes, as: UTF8.self).contains("PRIVATE"))
            }
            let written = try kept.writeBundle()
            #expect(written.path == "\(kept.root.folder)/bundle.pem")
            #expect(try read(written.path) == bundle)
        }
    }

    @Test("create a new root, and keep the old one beside it")
    func rotate() throws {
        try withPlace { place in
            #expect(try CertificateTools.proxy.rotate(place) == nil)
            let first = try CertificateTools.proxy.open(place, false).root
            let former = try #require(try CertificateTools.proxy.rotate(place))
            let second = try CertificateTools.proxy.open(place, false).root
            #expect(first.path == second.path)
            #expect(first.fingerprint != second.fingerprint)
            let old = AuthorityLocation(folder: former, environment: place.environment)
            #expect(
                try CertificateTools.proxy.open(old, false).root.fingerprint == first.fingerprint
            )
        }
    }

    private func read(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while try file.read(appendingTo: &bytes, atMost: 1 << 20) > 0 {}
        return bytes
    }
}

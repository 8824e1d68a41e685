// SPDX-License-Identifier: MIT

import TaplineTLS
import TaplineSystem
import TestSupport
import Testing

@Suite("Trust in an authority")
struct AuthorityTrustTests {
    @Test("a handshake determines whether the root is trusted")
    func trusted() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let authority = try CertificateAuthority(store)
            let untrusting = try authority.isTrusted(by: TLSClientOptions())
            #expect(!untrusting)
            var options = TLSClientOptions()
            options.authorityFiles = [store.certificatePath]
            let trusting = try authority.isTrusted(by: options)
            #expect(trusting)
            // A folder needs the file under the name of its hash.
            let hashed = try runShell(
                "mkdir \(folder)/trusted && cp \(store.certificatePath) \(folder)/trusted/ && "
                    + "openssl rehash \(folder)/trusted"
            )
            try #require(hashed.status == 0, "\(hashed.output)")
            options.authorityFiles = []
            options.authorityFolders = ["\(folder)/trusted"]
            options.trustsSystem = false
            let trustingFolder = try authority.isTrusted(by: options)
            #expect(trustingFolder)
        }
    }

    @Test(
        "authorities that cannot be loaded are an error with their path",
        arguments: ["/nowhere/roots.pem", "/dev/null"]
    )
    func missing(path: String) {
        var options = TLSClientOptions()
        options.authorityFiles = [path]
        let file = #expect(throws: TLSError.self) { _ = try TLSContext(client: options) }
        #expect(file?.code == .configuration)
        #expect(file?.message.contains("'\(path)'") == true)
        options.authorityFiles = []
        options.authorityFolders = [path]
        let folder = #expect(throws: TLSError.self) { _ = try TLSContext(client: options) }
        #expect(folder?.message.contains("'\(path)'") == true)
    }

    @Test("a client certificate needs its key, or is refused")
    func identity() throws {
        try withTemporaryFolder { folder in
            let made = try runShell(
                "cd \(folder) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
                    + "-keyout k.pem -out c.pem -subj /CN=client -days 2 && "
                    + "openssl ec -in k.pem -aes128 -passout pass:x -out locked.pem"
            )
            try #require(made.status == 0, "\(made.output)")
            var options = TLSClientOptions()
            options.certificateFile = "\(folder)/c.pem"
            #expect(throws: TLSError.self) { _ = try TLSContext(client: options) }
            options.keyFile = "\(folder)/locked.pem"
            let locked = #expect(throws: TLSError.self) { _ = try TLSContext(client: options) }
            #expect(locked?.message.contains("locked.pem") == true)
            options.keyFile = "\(folder)/k.pem"
            _ = try TLSContext(client: options)
        }
    }
}

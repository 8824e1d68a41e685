// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineTLS
import TaplineSystem
import TestSupport
import Testing

@Suite("The folder of the certificate authority")
struct AuthorityStoreTests {
    @Test("is created on first use for its owner only, and read afterwards")
    func firstUse() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/data/tapline/ca")
            let made = try CertificateAuthority(store).summary
            let read = try CertificateAuthority(store).summary
            #expect(read.fingerprint == made.fingerprint && made.fingerprint.count == 32)
            #expect(read.name == made.name && made.name.hasPrefix("Tapline CA "))
            #expect(try FileSystem.status(of: store.folder)?.permissions == 0o700)
            #expect(try FileSystem.status(of: store.keyPath)?.permissions == 0o600)
            #expect(
                try FileSystem.names(in: store.folder).sorted() == ["root-key.pem", "root.pem"]
            )
            let check = try runShell(
                "openssl x509 -in \(store.certificatePath) -noout -fingerprint -sha256"
            )
            let hex = made.fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            #expect(check.output.lowercased().contains(hex.joined(separator: ":")))
        }
    }

    @Test("is the same for all processes that create it at once")
    func atOnce() throws {
        try withTemporaryFolder { folder in
            let found = Mutex<Set<[UInt8]>>([])
            DispatchQueue.concurrentPerform(iterations: 12) { _ in
                let store = AuthorityStore(folder: "\(folder)/ca")
                if let summary = try? CertificateAuthority(store).summary {
                    found.withLock { _ = $0.insert(summary.fingerprint) }
                }
            }
            #expect(found.withLock { $0.count } == 1)
            // The other processes leave no files.
            let names = try FileSystem.names(in: folder)
            #expect(names == ["ca"])
        }
    }

    @Test("is refused if others can read the key", arguments: [0o640, 0o604, 0o660] as [mode_t])
    func permissions(mode: mode_t) throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            _ = try CertificateAuthority(store)
            unsafe chmod(store.keyPath, mode)
            let error = #expect(throws: TLSError.self) { _ = try CertificateAuthority(store) }
            #expect(error?.code == .authority)
            #expect(error?.message.contains(store.keyPath) == true)
            #expect(error?.message.contains(String(mode, radix: 8)) == true)
        }
    }

    @Test("is never changed if it cannot be used", arguments: ["root.pem", "root-key.pem"])
    func broken(file: String) throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            _ = try CertificateAuthority(store)
            let path = "\(store.folder)/\(file)"
            try FileSystem.remove(path)
            let missing = #expect(throws: TLSError.self) { _ = try CertificateAuthority(store) }
            #expect(missing?.message.contains(path) == true)
            try write(Array("-----BEGIN NOTHING-----\n".utf8), to: path)
            let broken = #expect(throws: TLSError.self) { _ = try CertificateAuthority(store) }
            #expect(broken?.message.contains(store.folder) == true)
            #expect(try FileSystem.status(of: path)?.size == 24)
        }
    }

    @Test("is refused if the key belongs to another certificate")
    func mixed() throws {
        try withTemporaryFolder { folder in
            let one = AuthorityStore(folder: "\(folder)/one")
            let two = AuthorityStore(folder: "\(folder)/two")
            _ = try CertificateAuthority(one)
            _ = try CertificateAuthority(two)
            try FileSystem.move(one.keyPath, to: two.keyPath)
            let error = #expect(throws: TLSError.self) { _ = try CertificateAuthority(two) }
            #expect(error?.message.contains("does not match") == true)
        }
    }

    @Test("keeps the old root when it gets a new one")
    func rotation() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let first = try CertificateAuthority(store).summary
            let former = try #require(try store.rotate())
            let second = try CertificateAuthority(store).summary
            #expect(first.fingerprint != second.fingerprint && first.name != second.name)
            let kept = try CertificateAuthority(AuthorityStore(folder: former)).summary
            #expect(kept.fingerprint == first.fingerprint)
            let again = try #require(try store.rotate())
            #expect(again != former)
            #expect(try FileSystem.names(in: folder).count == 3)
        }
    }

    @Test("is at the user's path of the XDG base directories")
    func place() {
        #expect(AuthorityStore(environment: [:]) == nil)
        #expect(AuthorityStore(environment: ["HOME": "relative"]) == nil)
        #expect(
            AuthorityStore(environment: ["HOME": "/home/a"])?.folder
                == "/home/a/.local/share/tapline/ca"
        )
        #expect(
            AuthorityStore(environment: ["HOME": "/home/a", "XDG_DATA_HOME": "/data"])?.folder
                == "/data/tapline/ca"
        )
        #expect(
            AuthorityStore(environment: ["HOME": "/home/a", "XDG_DATA_HOME": "data"])?.folder
                == "/home/a/.local/share/tapline/ca"
        )
    }
}

// SPDX-License-Identifier: MIT

import Glibc
import TaplineCertificates
import TaplineConfig
import TaplineTLS
import TaplinePlugin
import TaplineSystem
import Testing

@testable import ProxySource

@Suite("Trust of other programs")
struct TrustTests {
    /// An authority in a folder that is also the user's home folder.
    private struct Setting {
        let home: String
        let authority: CertificateAuthority
        let store: AuthorityStore
        var environment: [String: String]

        init(_ home: String) throws {
            self.home = home
            store = AuthorityStore(folder: "\(home)/ca")
            authority = try CertificateAuthority(store)
            environment = ["HOME": home, "PATH": ProcessEnvironment.variables["PATH"] ?? ""]
        }

        var subject: TrustSubject {
            TrustSubject(authority, in: store, environment: environment)
        }

        func change(
            _ name: String,
            undoing: Bool = false,
            _ subject: TrustSubject? = nil
        ) throws
            -> TrustChange
        {
            let subject = subject ?? self.subject
            let steps = try #require(TrustSteps.named(name, subject))
            return try TrustChange(of: steps, undoing: undoing, for: subject) {
                () throws(CertificateError) in
                try CertificateError.wrapping { () throws(TLSError) in
                    try store.writeBundle(TrustBundle(of: authority, environment: environment))
                }
                return CertificateBundle(path: store.bundlePath, others: 0)
            }
        }

        func verdicts(_ name: String) throws -> [String: TrustVerdict] {
            let findings = try TrustCheck(authority, subject).findings(of: name)
            return Dictionary(uniqueKeysWithValues: findings.map { ($0.client, $0.verdict) })
        }
    }

    private func withSetting(_ work: (inout Setting) throws -> Void) throws {
        let home = try FileSystem.makeTemporaryFolder(prefix: "trust")
        defer { try? FileSystem.removeFolder(home) }
        var setting = try Setting(home)
        try work(&setting)
    }

    private static func isInstalled(_ program: String) -> Bool {
        ChildProcess.find(program, in: ProcessEnvironment.variables["PATH"]) != nil
    }

    private func isUntrusted(_ verdict: TrustVerdict?) -> Bool {
        if case .untrusted = verdict { true } else { false }
    }

    @Test(
        "is tested with their own connection, before and after the change",
        arguments: [
            ("curl", "curl", "curl"), ("python", "ssl", "python3"), ("git", "git", "git"),
            ("node", "https", "node"), ("ruby", "net/http", "ruby"),
        ]
    )
    func clients(store: String, client: String, program: String) throws {
        try withSetting { setting in
            guard Self.isInstalled(program) else {
                #expect(try setting.verdicts(store)[client] == .notInstalled)
                return
            }
            // A proxy in the environment must not affect the probe.
            setting.environment["https_proxy"] = "http://127.0.0.1:9"
            let before = try setting.verdicts(store)[client]
            #expect(isUntrusted(before), "\(before as Any)")
            if case .untrusted(let words) = before {
                #expect(words.contains("certificate"), "\(words)")
            }
            let change = try setting.change(store)
            for line in change.variables {
                let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
                setting.environment[String(parts[0])] = String(parts[1])
            }
            let after = try setting.verdicts(store)[client]
            #expect(after == .trusted, "\(after as Any)")
            let undone = try setting.change(store, undoing: true)
            #expect(undone.variables.allSatisfy { $0.hasPrefix("unset ") })
            #expect(undone.variables.count == change.variables.count)
        }
    }

    @Test("of the system is tested with openssl, and reported in its words")
    func system() throws {
        try withSetting { setting in
            // The name of the store depends on the system.
            let isFedora = Self.isInstalled("update-ca-trust")
            let (name, other) = isFedora ? ("fedora", "debian") : ("debian", "fedora")
            let before = try setting.verdicts(name)
            let alert = "the certificate authority is unknown"
            #expect(
                before["openssl"]
                    == .untrusted("the client rejected the certificate: \(alert)")
            )
            // GnuTLS reports the reason to the user, but not to the server.
            if case .untrusted(let words) = before["wget"] {
                #expect(words.contains("issuer"), "\(words)")
            }
            setting.environment["SSL_CERT_FILE"] = setting.store.certificatePath
            let after = try setting.verdicts(name)["openssl"]
            #expect(after == .trusted)
            let none = try setting.verdicts(other)
            #expect(none == [other: .notInstalled])
        }
    }

    @Test("of Chromium and Firefox is added to NSS databases, and removed again")
    func databases() throws {
        try withSetting { setting in
            let profile = "\(setting.home)/.mozilla/firefox/abc.default"
            for folder in [".mozilla", ".mozilla/firefox", ".mozilla/firefox/abc.default"] {
                try FileSystem.makeFolder("\(setting.home)/\(folder)")
            }
            let made = try ChildProcess.run(
                ["/usr/bin/certutil", "-N", "-d", "sql:\(profile)", "--empty-password"],
                environment: setting.environment
            )
            try #require(made.isSuccess, "\(made.text)")
            #expect(try setting.verdicts("nss") == ["nss": .notInstalled])
            #expect(try isUntrusted(setting.verdicts("firefox")["abc.default"]))
            for (name, client) in [("nss", "user"), ("firefox", "abc.default")] {
                for _ in 0..<2 {
                    let change = try setting.change(name)
                    #expect(change.commands.last?.hasPrefix("certutil -A -d sql:") == true)
                }
                #expect(try setting.verdicts(name) == [client: .trusted])
                _ = try setting.change(name, undoing: true)
                #expect(try isUntrusted(setting.verdicts(name)[client]))
                let again = #expect(throws: CertificateError.self) {
                    _ = try setting.change(name, undoing: true)
                }
                #expect(again?.message.contains("certutil -D") == true)
            }
        }
    }

    @Test(
        "of a system like Debian is added to its folders, and removed again",
        .enabled(
            if: geteuid() == 0 && isInstalled("update-ca-certificates"),
            "needs root and update-ca-certificates"
        )
    )
    func debian() throws {
        try withSetting { setting in
            let home = setting.home
            for folder in ["local", "etc", "hooks"] {
                try FileSystem.makeFolder("\(home)/\(folder)")
            }
            try File("\(home)/conf", for: .create).close()
            var subject = setting.subject
            subject.debianFolder = "\(home)/local"
            subject.debianUpdate = [
                "update-ca-certificates", "--localcertsdir", "\(home)/local", "--etccertsdir",
                "\(home)/etc", "--hooksdir", "\(home)/hooks", "--certsconf", "\(home)/conf",
            ]
            #expect(try setting.change("debian", subject).commands.count == 2)
            #expect(try FileSystem.status(of: "\(home)/local/tapline.crt")?.permissions == 0o644)
            setting.environment["SSL_CERT_DIR"] = "\(home)/etc"
            #expect(try setting.verdicts("debian")["openssl"] == .trusted)
            _ = try setting.change("debian", undoing: true, subject)
            #expect(try isUntrusted(setting.verdicts("debian")["openssl"]))
        }
    }

    @Test(
        "of Java is added to its store once, and removed again",
        .enabled(
            if: geteuid() == 0 && isInstalled("keytool") && isInstalled("javac"),
            "needs root, keytool and javac"
        )
    )
    func java() throws {
        try withSetting { setting in
            var subject = setting.subject
            let store = "\(setting.home)/store"
            subject.javaStore = ["-keystore", store, "-storepass", "changeit"]
            #expect(try isUntrusted(setting.verdicts("java")["java"]))
            #expect(try setting.change("java", subject).commands.count == 1)
            #expect(try setting.change("java", subject).isDoneAlready)
            setting.environment["JAVA_TOOL_OPTIONS"] =
                "-Djavax.net.ssl.trustStore=\(store) -Djavax.net.ssl.trustStorePassword=changeit"
            #expect(try setting.verdicts("java")["java"] == .trusted)
            _ = try setting.change("java", undoing: true, subject)
            #expect(throws: CertificateError.self) {
                _ = try setting.change("java", undoing: true, subject)
            }
        }
    }

    @Test(
        "of Java works with a store that is written for it",
        .enabled(if: isInstalled("javac"), "needs javac")
    )
    func javaStore() throws {
        try withSetting { setting in
            let place = AuthorityLocation(
                folder: setting.store.folder,
                environment: Environment(setting.environment)
            )
            let store = try CertificateTools.proxy.open(place, false).writeJavaStore()
            setting.environment["JAVA_TOOL_OPTIONS"] = store.options
            let verdict = try setting.verdicts("java")["java"]
            #expect(verdict == .trusted)
        }
    }

    @Test("is reported clearly if a program gives no reason, or a step fails")
    func failures() throws {
        try withSetting { setting in
            let tools = "\(setting.home)/bin"
            try FileSystem.makeFolder(tools)
            setting.environment["PATH"] = tools
            for (name, text) in [
                ("curl", "echo 'no way'; echo; exit 7"),
                ("certutil", "echo 'bad database'; exit 255"),
                ("java", "echo 'no compiler'; exit 1"), ("keytool", "test $1 = -list"),
                ("mkdir", "exit 0"),
                ("openssl", "exec 2>&1; echo first; echo 'verify error'; exit 1"),
            ] {
                let path = "\(tools)/\(name)"
                try File(path, for: .create).write("#!/bin/sh\n\(text)\n".utf8.span)
                unsafe chmod(path, 0o700)
            }
            #expect(try setting.verdicts("curl") == ["curl": .unclear("no way")])
            #expect(try setting.verdicts("python")["ssl"] == .notInstalled)
            #expect(try setting.verdicts("debian")["openssl"] == .untrusted("verify error"))
            let failed = #expect(throws: CertificateError.self) { _ = try setting.change("nss") }
            #expect(failed?.message.hasSuffix("ended with 255: bad database") == true)
            // A JRE cannot run the source file of the check, so the store is queried.
            #expect(try setting.verdicts("java") == ["java": .trusted])
            #expect(try setting.change("java").isDoneAlready)
            try FileSystem.remove("\(tools)/keytool")
            #expect(try setting.verdicts("java") == ["java": .notInstalled])
            let missing = #expect(throws: CertificateError.self) { _ = try setting.change("java") }
            #expect(missing?.message == "'keytool' is not installed; it comes with Java")
        }
    }

    @Test("has steps that name the certificate or the bundle, but never the key")
    func steps() throws {
        try withSetting { setting in
            for steps in TrustSteps.all(setting.subject) {
                let shown = steps.shown(for: setting.subject)
                let text = shown.steps.joined(separator: "\n")
                #expect(!text.contains("root-key"), "\(shown.name)")
                #expect(
                    text.contains(setting.store.certificatePath)
                        || text.contains(setting.store.bundlePath),
                    "\(shown.name)"
                )
                #expect(!shown.undoing.isEmpty, "\(shown.name)")
                #expect(shown.isApplicable == (shown.name != "ios" && shown.name != "firefox"))
            }
            // Special characters of the shell are quoted.
            let word = TrustSteps.Step.run(["a b", "it's", "$HOME", "", "x=/y"])
            #expect(word.text(for: setting.subject) == #"'a b' 'it'\''s' '$HOME' '' x=/y"#)
        }
    }
}

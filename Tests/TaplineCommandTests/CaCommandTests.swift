// SPDX-License-Identifier: MIT

import TaplineCertificates
import TaplineCommandLine
import TaplinePlugin
import TaplineProxy
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline ca")
struct CaCommandTests {
    /// Calls `body` with a temporary home folder.
    private func withHome(_ body: (String, [String: String]) async throws -> Void) async throws {
        let path = ProcessEnvironment.variables["PATH"] ?? ""
        try await withTemporaryFolder { home in
            try await body(home, ["HOME": home, "PATH": path])
        }
    }

    @Test("reports that a program without the proxy has no authority")
    func missing() async throws {
        let found = await tapline("ca", "show")
        #expect(found.code == .usage)
        #expect(found.errors.contains("no source has a certificate authority"))
        #expect(found.errors.contains("help: add the library product TaplineProxy"))
    }

    @Test("shows the root certificate after it is created")
    func show() async throws {
        try await withHome { home, environment in
            let folder = "\(home)/.local/share/tapline/ca"
            let none = await tapline("ca", "show", plugins: .proxy, environment: environment)
            #expect(none.code == .failure)
            #expect(none.errors.contains("there is no certificate authority in '\(folder)' yet"))
            #expect(none.errors.contains("help: 'tapline ca trust' creates one"))
            #expect(try FileSystem.status(of: folder) == nil)

            let steps = await tapline("ca", "trust", plugins: .proxy, environment: environment)
            #expect(steps.code == .success)
            let shown = await tapline("ca", "show", plugins: .proxy, environment: environment)
            #expect(shown.code == .success)
            let lines = shown.output.split(separator: "\n").map(String.init)
            #expect(
                lines.map { $0.prefix { $0 != " " } }
                    == ["subject", "SHA-256", "valid", "file", "trusted"]
            )
            #expect(lines[0].hasPrefix("subject   O=Tapline, CN=Tapline CA "))
            #expect(lines[1].count == 10 + 32 * 3 - 1)
            #expect(lines[3] == "file      \(folder)/root.pem")
            #expect(lines[4] == "trusted   not by this system")
            #expect(shown.errors == "help: 'tapline ca trust' shows how to trust it\n")
            let same = try ChildProcess.run(
                [
                    "/usr/bin/openssl", "x509", "-in", "\(folder)/root.pem", "-noout",
                    "-fingerprint", "-sha256",
                ],
                environment: environment
            )
            #expect(same.text.contains(lines[1].dropFirst(10)))
        }
    }

    @Test("exports the certificate in each format, and never the key")
    func export() async throws {
        try await withHome { home, environment in
            let file = "\(home)/out"
            for (format, line) in [("pem", "PEM"), ("der", "DER"), ("bundle", "PEM")] {
                let written = await tapline(
                    "ca",
                    "export",
                    "--format",
                    format,
                    "--out",
                    file,
                    plugins: .proxy,
                    environment: environment
                )
                #expect(written.code == .success, "\(written.errors)")
                let read = try ChildProcess.run(
                    ["/usr/bin/openssl", "x509", "-in", file, "-inform", line, "-noout"],
                    environment: environment
                )
                #expect(read.isSuccess, "\(format): \(read.text)")
            }
            #expect(try FileSystem.status(of: file)?.permissions == 0o600)
            let store = await tapline(
                "ca",
                "export",
                "--format",
                "p12",
                "--out",
                file,
                plugins: .proxy,
                environment: environment
            )
            #expect(store.code == .success, "\(store.errors)")
            let listed = try ChildProcess.run(
                ["/usr/bin/openssl", "pkcs12", "-in", file, "-passin", "pass:changeit", "-nokeys"],
                environment: environment,
                maxBytes: 1 << 22
            )
            #expect(listed.isSuccess && listed.text.contains("CN = Tapline CA "))
            #expect(!listed.text.contains("PRIVATE"))
            let plain = await tapline("ca", "export", plugins: .proxy, environment: environment)
            let root = "\(home)/.local/share/tapline/ca/root.pem"
            #expect(plain.output == (try TestFiles.text(of: root)))
            let refused = await tapline(
                "ca",
                "export",
                "--out",
                "\(home)/no/out",
                plugins: .proxy,
                environment: environment
            )
            #expect(refused.code == .failure)
            #expect(refused.errors.contains("'\(home)/no/out'"))
        }
    }

    @Test("prints the steps for each target, and the steps that undo them")
    func steps() async throws {
        try await withHome { home, environment in
            let all = await tapline("ca", "trust", plugins: .proxy, environment: environment)
            let root = "\(home)/.local/share/tapline/ca/root.pem"
            let text = all.output
            for line in [
                "# debian: ", "# fedora: ", "# macos: ", "# nss: ", "# firefox: ", "# java: ",
                "# node: ", "# python: ", "# curl: ", "# git: ", "# ruby: ", "# go: ",
                "# ios-simulator: ", "# ios: ",
                "sudo install -m 644 \(root) /usr/local/share/ca-certificates/tapline.crt",
                "sudo update-ca-certificates", "export NODE_EXTRA_CA_CERTS=\(root)",
                "export SSL_CERT_FILE=\(home)/.local/share/tapline/ca/bundle.pem",
                "certutil -A -d sql:\(home)/.pki/nssdb -n 'Tapline CA ",
            ] {
                #expect(text.contains(line), "\(line)")
            }
            let undo = await tapline(
                "ca",
                "trust",
                "curl",
                "debian",
                "--undo",
                plugins: .proxy,
                environment: environment
            )
            #expect(
                undo.output == """
                    # curl: curl, and programs that use libcurl and read CURL_CA_BUNDLE
                    unset CURL_CA_BUNDLE

                    # debian: Debian, Ubuntu: curl, wget, git, Python's ssl, Go, Ruby, URLSession, Java
                    sudo rm -f /usr/local/share/ca-certificates/tapline.crt
                    sudo update-ca-certificates

                    """
            )
        }
    }

    @Test("applies the steps that a program can perform, and checks that they worked")
    func apply() async throws {
        try await withHome { home, environment in
            let made = await tapline("ca", "export", plugins: .proxy, environment: environment)
            #expect(made.code == .success)
            let before = await tapline(
                "ca",
                "check",
                "curl",
                plugins: .proxy,
                environment: environment
            )
            #expect(before.code == .failure)
            #expect(before.output.contains("not trusted: "))
            #expect(before.errors == "help: 'tapline ca trust curl' shows what to do\n")

            let done = await tapline(
                "ca",
                "trust",
                "--apply",
                "curl",
                plugins: .proxy,
                environment: environment
            )
            let bundle = "\(home)/.local/share/tapline/ca/bundle.pem"
            #expect(done.code == .success)
            #expect(done.output == "export CURL_CA_BUNDLE=\(bundle)\n")
            #expect(done.errors.contains("curl: written: \(bundle), with "))
            #expect(
                done.errors.contains("help: 'tapline ca check curl' checks whether it is trusted")
            )

            var after = environment
            after["CURL_CA_BUNDLE"] = bundle
            let found = await tapline("ca", "check", "curl", plugins: .proxy, environment: after)
            #expect(found.code == .success)
            #expect(found.output == "curl           curl      trusted\n")
        }
    }

    @Test("reports targets that need manual steps or are not installed")
    func impossible() async throws {
        try await withHome { home, environment in
            let person = await tapline(
                "ca",
                "trust",
                "--apply",
                "ios",
                plugins: .proxy,
                environment: environment
            )
            #expect(person.code == .failure)
            #expect(person.errors.contains("a program cannot do this for 'ios'"))
            let bare = ["HOME": home, "PATH": "\(home)/none"]
            let nss = await tapline(
                "ca",
                "trust",
                "--apply",
                "nss",
                plugins: .proxy,
                environment: bare
            )
            #expect(nss.code == .failure)
            #expect(nss.errors.contains("is not installed"))
            let found = await tapline("ca", "check", "node", plugins: .proxy, environment: bare)
            #expect(found.code == .failure)
            #expect(found.output == "node           https     not installed\n")
        }
    }

    @Test("creates a new root, and shows how clients trust it")
    func rotate() async throws {
        try await withHome { home, environment in
            let ca = "\(home)/own/ca"
            let first = await tapline(
                "ca",
                "rotate",
                "--ca",
                ca,
                plugins: .proxy,
                environment: environment
            )
            #expect(first.code == .success && first.errors == "")
            let second = await tapline(
                "ca",
                "rotate",
                "--ca",
                ca,
                plugins: .proxy,
                environment: environment
            )
            let lines = second.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("\(ca)/root.pem: O=Tapline, CN=") == true)
            let former = try #require(lines.last?.split(separator: ":").first)
            #expect(try FileSystem.status(of: "\(former)/root.pem") != nil)
            #expect(second.errors.contains("tapline ca trust --undo --ca \(former) TARGET"))
            #expect(second.errors.contains("tapline ca trust --ca \(ca) TARGET"))
        }
    }

    @Test("rejects unknown actions, targets and options")
    func usage() async throws {
        for (words, message, help) in [
            (
                ["shw"],
                "unknown action 'shw' of 'ca'; expected show, export, trust, check, rotate",
                "did you mean 'show'?"
            ),
            (["show", "curl"], "too many arguments for 'ca show'; found 'curl'", ""),
            (
                ["check", "crul"], "unknown target 'crul'; expected debian, ",
                "did you mean 'curl'?"
            ),
            (["show", "--apply"], "'--apply' belongs to 'ca trust'", ""),
            (["trust", "--format", "pem"], "'--format' belongs to 'ca export'", ""),
            (["trust", "--apply"], "'ca trust --apply' needs TARGET", "lists the targets"),
        ] {
            let found = await taplineCa(words)
            #expect(found.code == .usage)
            #expect(found.errors.contains(message), "\(found.errors)")
            #expect(found.errors.contains(help), "\(found.errors)")
        }
    }

    private func taplineCa(_ words: [String]) async -> Outcome {
        switch words.count {
        case 1: await tapline("ca", words[0], plugins: .proxy)
        case 2: await tapline("ca", words[0], words[1], plugins: .proxy)
        default: await tapline("ca", words[0], words[1], words[2], plugins: .proxy)
        }
    }

    @Test("has a page that lists each target")
    func page() throws {
        let names = try #require(PluginRegistry.proxy.sources.first?.certificates?.storeNames)
        #expect(names.count > 10)
        let page = try TestFiles.text(
            of: "\(TestFiles.repository)/Plugins/Sources/Proxy/Certificates.md"
        )
        let table = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for name in names {
            let count = table.count {
                $0.split(separator: "|").first?.contains("`\(name)`") == true
            }
            #expect(count == 1, "\(name)")
        }
    }

    @Test("completes the targets of the proxy")
    func completions() async throws {
        let bash = await tapline("completions", "bash", plugins: .proxy)
        #expect(bash.output.contains("ios-simulator"))
        #expect(await !tapline("completions", "bash").output.contains("ios-simulator"))
    }
}

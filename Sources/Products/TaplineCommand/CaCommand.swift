// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// `tapline ca ACTION`.
struct CaCommand {
    private let invocation: Invocation
    private let tools: CertificateTools

    /// The actions, each with the options that it takes in addition to `--ca`.
    private static let options: [(action: String, names: Set<String>)] = [
        ("show", []), ("export", ["format", "out"]), ("trust", ["apply", "undo"]), ("check", []),
        ("rotate", []),
    ]

    static let actions = options.map(\.action)

    static func run(_ invocation: Invocation) async -> ExitCode {
        guard let tools = invocation.registry.sources.compactMap(\.certificates).first else {
            let error = UsageError(
                message: "no source has a certificate authority",
                help: "add the library product TaplineProxy: "
                    + "'TaplineCommand.main(plugins: .proxy)'"
            )
            return invocation.fail(error)
        }
        let command = CaCommand(invocation: invocation, tools: tools)
        do throws(UsageError) {
            return try command.act()
        } catch {
            return invocation.fail(error)
        }
    }

    private func act() throws(UsageError) -> ExitCode {
        let action = invocation.operands.first ?? ""
        guard let known = Self.options.first(where: { $0.action == action }) else {
            throw UsageError(
                message: "unknown action '\(action)' of 'ca'; expected "
                    + Self.actions.joined(separator: ", "),
                help: Suggestion.help(for: action, among: Self.actions)
            )
        }
        for name in invocation.options.keys.sorted() where name != "ca" {
            guard known.names.contains(name) else {
                let owner = Self.options.first { $0.names.contains(name) }?.action ?? ""
                throw UsageError(message: "'--\(name)' belongs to 'ca \(owner)'")
            }
        }
        let names = Array(invocation.operands.dropFirst())
        if let extra = names.first, action != "trust", action != "check" {
            throw UsageError(message: "too many arguments for 'ca \(action)'; found '\(extra)'")
        }
        for name in names where !tools.storeNames.contains(name) {
            throw UsageError(
                message: "unknown target '\(name)'; expected "
                    + tools.storeNames.joined(separator: ", "),
                help: Suggestion.help(for: name, among: tools.storeNames)
            )
        }
        return try act(action, names)
    }

    private func act(_ action: String, _ names: [String]) throws(UsageError) -> ExitCode {
        do throws(CertificateError) {
            switch action {
            case "show": return try show(tools.open(place, false))
            case "export": return try export(tools.open(place, true))
            case "check": return try check(tools.open(place, false), names)
            case "rotate": return try rotate()
            default: break
            }
        } catch {
            return fail(error)
        }
        guard invocation.has("apply") else { return printSteps(names) }
        guard !names.isEmpty else {
            throw UsageError(
                message: "'ca trust --apply' needs TARGET",
                help: "'tapline ca trust' lists the targets and their steps"
            )
        }
        return apply(names)
    }

    private var place: AuthorityLocation {
        AuthorityLocation(folder: invocation.value("ca"), environment: invocation.environment)
    }

    private var console: Console { invocation.console }

    private func fail(_ error: CertificateError) -> ExitCode {
        console.note("tapline: error: \(error.message)")
        if let help = error.help { console.note("help: \(help)") }
        return .failure
    }

    // MARK: show

    private func show(_ authority: any StoredAuthority) throws(CertificateError) -> ExitCode {
        let isTrusted = try authority.isTrustedBySystem()
        let root = authority.root
        console.print(
            """
            subject   \(root.subject)
            SHA-256   \(root.fingerprintText)
            valid     \(root.notBefore.day) to \(root.notAfter.day)
            file      \(root.path)
            trusted   \(isTrusted ? "by this system" : "not by this system")
            """
        )
        if !isTrusted { console.note("help: 'tapline ca trust' shows how to trust it") }
        return .success
    }

    // MARK: export

    private func export(_ authority: any StoredAuthority) throws(CertificateError) -> ExitCode {
        let format = invocation.value("format").flatMap { CertificateFormat(rawValue: $0) } ?? .pem
        let path = invocation.value("out") ?? "-"
        if !format.isText, path == "-", console.outputIsTerminal {
            throw CertificateError(
                "'\(format.rawValue)' is a binary format and would garble the terminal",
                help: "name a file with '--out'"
            )
        }
        let bytes = try authority.export(format)
        guard path != "-" else {
            console.write(bytes)
            return .success
        }
        do throws(FileError) {
            try File(path, for: .replace).write(bytes.span)
        } catch {
            throw CertificateError("\(error)")
        }
        return .success
    }

    // MARK: rotate

    private func rotate() throws(CertificateError) -> ExitCode {
        let former = try tools.rotate(place)
        let root = try tools.open(place, false).root
        console.print("\(root.path): \(root.subject), SHA-256 \(root.fingerprintText)")
        guard let former else { return .success }
        console.print("\(former): the previous authority")
        console.note(
            """
            Clients still trust the previous root, and not yet the new one. For each of them, run:
                tapline ca trust --undo --ca \(former) TARGET
                tapline ca trust\(folderWords) TARGET
            A running proxy presents certificates of the previous authority until it restarts.
            """
        )
        return .success
    }

    /// The option that names the folder, if it is given.
    private var folderWords: String { invocation.value("ca").map { " --ca \($0)" } ?? "" }

    // MARK: trust

    private func stores(_ names: [String], of authority: any StoredAuthority) -> [TrustStore] {
        let all = authority.stores
        return names.isEmpty ? all : names.compactMap { name in all.first { $0.name == name } }
    }

    private func printSteps(_ names: [String]) -> ExitCode {
        do throws(CertificateError) {
            let authority = try tools.open(place, true)
            let texts = stores(names, of: authority).map { store in
                let steps = invocation.has("undo") ? store.undoing : store.steps
                return (["# \(store.name): \(store.title)"] + steps).joined(separator: "\n")
            }
            console.print(texts.joined(separator: "\n\n"))
            return .success
        } catch {
            return fail(error)
        }
    }

    private func apply(_ names: [String]) -> ExitCode {
        do throws(CertificateError) {
            let authority = try tools.open(place, true)
            for store in stores(names, of: authority) {
                guard store.isApplicable else {
                    throw CertificateError(
                        "a program cannot do this for '\(store.name)'",
                        help: "'tapline ca trust \(store.name)' shows the steps to do by hand"
                    )
                }
                report(try authority.change(store, undoing: invocation.has("undo")), store)
            }
        } catch {
            return fail(error)
        }
        let done = invocation.has("undo") ? "no longer trusted" : "trusted"
        console.note(
            "help: 'tapline ca check\(folderWords) \(names.joined(separator: " "))' "
                + "checks whether it is \(done)"
        )
        return .success
    }

    /// Reports what was done; lines for the user's shell to run go to standard output.
    private func report(_ change: TrustChange, _ store: TrustStore) {
        for command in change.commands { console.note("\(store.name): done: \(command)") }
        if let bundle = change.bundle {
            console.note(
                "\(store.name): written: \(bundle.path), with \(bundle.others) other certificates"
            )
        }
        if change.isDoneAlready { console.note("\(store.name): already done") }
        for sentence in change.sentences { console.note("\(store.name): \(sentence)") }
        for line in change.variables { console.print(line) }
    }

    // MARK: check

    private func check(
        _ authority: any StoredAuthority,
        _ names: [String]
    ) throws(CertificateError) -> ExitCode {
        var trusted = 0
        var untrusted: [String] = []
        let width = tools.storeNames.map(\.count).max() ?? 0
        try authority.check(stores(names, of: authority)) { finding in
            let verdict: String
            switch finding.verdict {
            case .trusted:
                verdict = "trusted"
                trusted += 1
            case .untrusted(let reason):
                verdict = reason.isEmpty ? "not trusted" : "not trusted: \(reason)"
                if untrusted.last != finding.store { untrusted.append(finding.store) }
            case .notInstalled: verdict = "not installed"
            case .unclear(let reason): verdict = "not known: \(reason)"
            }
            let store = Columns.pad(finding.store, to: width)
            console.print("\(store)  \(Columns.pad(finding.client, to: 8))  \(verdict)")
        }
        if !untrusted.isEmpty {
            let names = untrusted.joined(separator: " ")
            console.note("help: 'tapline ca trust\(folderWords) \(names)' shows what to do")
        }
        return untrusted.isEmpty && trusted > 0 ? .success : .failure
    }
}

extension Invocation {
    /// Reports what is wrong with the command line.
    fileprivate func fail(_ error: UsageError) -> ExitCode {
        console.note("tapline: error: \(error.message)")
        if let help = error.help { console.note("help: \(help)") }
        return .usage
    }
}

extension RootDescription {
    /// The fingerprint in the form that browsers and openssl use: `AB:CD:…`.
    fileprivate var fingerprintText: String {
        fingerprint.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        .joined(separator: ":")
    }
}

extension Timestamp {
    /// The date: `2026-11-22`.
    fileprivate var day: String { String(rfc3339.prefix(10)) }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// Findings about folders, authorities, ports and key files, as pure functions of the facts.
extension DoctorFacts {
    /// Free space below which a folder fails, and below which it is a warning, in bytes.
    static let (leastSpace, lowSpace) = (64 << 20, 1 << 30)
    /// The same for inodes.
    static let (leastInodes, lowInodes) = (100, 10_000)
    /// How long before its end the certificate of an authority is a warning, in microseconds.
    static let expiryNotice: Int64 = 30 * 86_400 * 1_000_000

    // MARK: Folders

    /// One finding about the folder itself, and one for each shortage of its file system.
    static func findings(of folder: Folder) -> [DoctorFinding] {
        let subject = "folder \(folder.path)"
        switch folder.state {
        case .missing:
            return [
                .fail(
                    subject,
                    "it is missing, for \(folder.use)",
                    help: "run 'mkdir -p \(folder.path)'"
                )
            ]
        case .notAFolder:
            return [
                .fail(
                    subject,
                    "it is not a folder, for \(folder.use)",
                    help: "move what is there, or name another path"
                )
            ]
        case .notWritable(let reason):
            let isReadOnly = folder.space?.isReadOnly ?? false
            let help =
                isReadOnly
                ? "name a folder elsewhere; in a unit, add 'ReadWritePaths=\(folder.path)'"
                : "give the user of the process the folder: 'chown USER \(folder.path)'"
            let found = isReadOnly ? "its file system is read-only" : "not writable, \(reason)"
            return [.fail(subject, "\(found), for \(folder.use)", help: help)]
        case .writable:
            if let file = folder.unwritableFile {
                let help = "give the user of the process the file: 'chown USER FILE'"
                return [.fail(subject, "\(file), for \(folder.use)", help: help)]
            }
            let shortages = shortages(of: folder, subject)
            guard shortages.isEmpty else { return shortages }
            let free = folder.space.map { ", \(DoctorText.size($0.freeBytes)) free" } ?? ""
            return [.ok(subject, "writable\(free), for \(folder.use)")]
        }
    }

    private static func shortages(of folder: Folder, _ subject: String) -> [DoctorFinding] {
        guard let space = folder.space else { return [] }
        var findings: [DoctorFinding] = []
        let free = "\(DoctorText.size(space.freeBytes)) free, for \(folder.use)"
        if space.freeBytes < leastSpace {
            findings.append(
                .fail(subject, free, help: "free space, or name a folder on another file system")
            )
        } else if space.freeBytes < max(lowSpace, folder.neededBytes) {
            let limit = DoctorText.size(folder.neededBytes)
            findings.append(
                .warn(
                    subject,
                    free,
                    help: space.freeBytes < folder.neededBytes
                        ? "free space, or lower 'spill_max_bytes'; up to \(limit) may be spilled"
                        : "free space, or have the sink rotate and prune"
                )
            )
        }
        guard let inodes = space.freeInodes, inodes < lowInodes else { return findings }
        let found = "\(inodes) inodes free, for \(folder.use)"
        let help = "remove small files, or name a folder on another file system"
        findings.append(
            inodes < leastInodes
                ? .fail(subject, found, help: help) : .warn(subject, found, help: help)
        )
        return findings
    }

    // MARK: Authorities

    func authorityFindings(of authority: Authority) -> [DoctorFinding] {
        let subject = "authority \(authority.folder)"
        let option = authority.isOwn ? "" : " --ca \(authority.folder)"
        let (trust, rotate) = ("tapline ca trust\(option)", "tapline ca rotate\(option)")
        switch authority.state {
        case .missing:
            let help = "run '\(trust)', which creates one and says who must trust it"
            return [.warn(subject, "there is none yet", help: help)]
        case .unusable(let reason, let help):
            return [.fail(subject, reason, help: help ?? "run '\(rotate)' for a new one")]
        case .usable(let notBefore, let notAfter, let isTrusted):
            let day = Timestamp(microseconds: notAfter).rfc3339.prefix(10)
            var findings: [DoctorFinding] = []
            if now < notBefore {
                let start = Timestamp(microseconds: notBefore).rfc3339.prefix(10)
                findings.append(
                    .fail(
                        subject,
                        "not valid before \(start)",
                        help: "set the clock of the machine"
                    )
                )
            } else if now >= notAfter {
                findings.append(
                    .fail(
                        subject,
                        "its certificate ended on \(day)",
                        help: "run '\(rotate)'"
                    )
                )
            } else if notAfter - now < Self.expiryNotice {
                let help = "run '\(rotate)', and have clients trust the new root"
                findings.append(.warn(subject, "its certificate ends on \(day)", help: help))
            }
            if isTrusted == false {
                let help =
                    "run '\(trust)' to see how; programs on other machines need it too"
                findings.append(.warn(subject, "this system does not trust it", help: help))
            }
            guard findings.isEmpty else { return findings }
            let suffix = isTrusted == true ? ", trusted by this system" : ""
            return [.ok(subject, "valid until \(day)\(suffix)")]
        }
    }

    // MARK: Ports

    static func finding(of port: Port) -> DoctorFinding {
        let subject = "port \(port.address)"
        switch port.state {
        case .free: return .ok(subject, "free, for \(port.use)")
        case .forbidden:
            return .fail(
                subject,
                "this user may not listen there, for \(port.use)",
                help: "use a port from 1024 up, or set 'AmbientCapabilities=CAP_NET_BIND_SERVICE'"
            )
        case .unusable(let reason):
            return .fail(subject, reason, help: "name an address of this machine in 'listen'")
        case .taken(let holder?) where holder.name == "tapline":
            return .warn(
                subject,
                "taken by tapline, process \(holder.process), for \(port.use)",
                help:
                    "all is well if that runs this pipeline; otherwise stop it, or name another port"
            )
        case .taken(let holder?) where holder.process == 1:
            return .warn(
                subject,
                "taken by \(holder.name), process 1, for \(port.use)",
                help: "all is well if a socket unit passes it on; otherwise disable that unit"
            )
        case .taken(let holder):
            let who = holder.map { " by \($0.name), process \($0.process)" } ?? ""
            return .fail(
                subject,
                "taken\(who), for \(port.use)",
                help: holder == nil
                    ? "see 'ss -ltnp' as root; stop that program, or name another port"
                    : "stop that program, or name another port"
            )
        }
    }

    // MARK: Keys

    static func finding(of key: KeyFile) -> DoctorFinding {
        let subject = "key \(key.path)"
        if let problem = key.problem {
            let help = "run 'chown USER \(key.path)' with the user of the process"
            return .fail(subject, "it cannot be read, \(problem)", help: help)
        }
        guard let mode = key.permissions else {
            return .fail(subject, "it is missing", help: "create the file, or name another one")
        }
        let found = "mode \(DoctorText.mode(mode))"
        guard mode & 0o077 != 0 else { return .ok(subject, found) }
        return .fail(
            subject,
            "\(found), others may use it",
            help: "run 'chmod 600 \(key.path)'; if others have read it, replace the key"
        )
    }
}

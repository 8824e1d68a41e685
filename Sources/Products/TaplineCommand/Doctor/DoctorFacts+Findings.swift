// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// Findings about what the system grants the process, as pure functions of the facts.
extension DoctorFacts {
    /// Descriptors for everything but clients: files, listeners, loops, databases.
    static let reservedDescriptors = 64
    /// The fewest descriptors with which a pipeline is of use.
    static let fewestDescriptors = 256
    /// The years in which a clock may be right: this code is not older than the first.
    static let plausibleYears = 2025...2100
    /// Memory of the process besides captured bytes: code, connections, caches.
    static let ownMemory = 256 << 20

    /// All findings, in the order of the output.
    var findings: [DoctorFinding] {
        [descriptorFinding] + clockFindings + [memoryFinding]
            + folders.flatMap { Self.findings(of: $0) }
            + authorities.flatMap { authorityFindings(of: $0) }
            + ports.map { Self.finding(of: $0) } + keys.map { Self.finding(of: $0) }
            + pipelineFindings
    }

    // MARK: Descriptors

    /// A client of a proxy needs two descriptors: its connection, and one to a server.
    var neededDescriptors: Int {
        let (doubled, overflow) = (pipeline?.maxConnections ?? 0).multipliedReportingOverflow(by: 2)
        let (sum, isTooLarge) = doubled.addingReportingOverflow(Self.reservedDescriptors)
        return overflow || isTooLarge ? .max : max(sum, Self.fewestDescriptors)
    }

    var descriptorFinding: DoctorFinding {
        let subject = "descriptors"
        guard let limits = descriptors else {
            return .warn(subject, "their limit is unknown", help: "see 'ulimit -n' in the shell")
        }
        let needed = neededDescriptors
        let found = "at most \(limits.soft), hard limit \(limits.hard)"
        guard limits.soft < needed else { return .ok(subject, found) }
        let reason = pipeline?.maxConnections.map { "; max_connections \($0) needs \(needed)" }
        let help =
            limits.hard >= needed
            ? "run 'ulimit -n \(needed)' in the shell, or set 'LimitNOFILE=\(needed)' in the unit"
            : "set 'LimitNOFILE=\(needed)' in the unit, or raise the hard limit in limits.conf(5)"
        if limits.soft < Self.fewestDescriptors {
            return .fail(subject, found + (reason ?? ""), help: help)
        }
        let choice = pipeline?.maxConnections == nil ? "" : ", or lower max_connections"
        return .warn(subject, found + (reason ?? ""), help: help + choice)
    }

    // MARK: Clock

    var clockFindings: [DoctorFinding] {
        let time = Timestamp(microseconds: now).rfc3339
        let year = Int(time.prefix { $0 != "-" }) ?? 0
        guard Self.plausibleYears.contains(year) else {
            return [
                .fail(
                    "clock",
                    "it says \(time.prefix(10))",
                    help: "set it: 'timedatectl set-ntp true'"
                )
            ]
        }
        switch isClockSynchronised {
        case true?: return [.ok("clock", "it is synchronised")]
        case false?:
            return [
                .warn(
                    "clock",
                    "it is not synchronised",
                    help: "run 'timedatectl set-ntp true'; times of exchanges may be wrong"
                )
            ]
        case nil:
            return [
                .warn(
                    "clock",
                    "the system does not report whether it is synchronised",
                    help: "make sure that a time service such as systemd-timesyncd runs"
                )
            ]
        }
    }

    // MARK: Memory

    var memoryFinding: DoctorFinding {
        guard let quota = memoryQuota else { return .ok("memory", "the group has no limit") }
        let found = "the group may use \(DoctorText.size(quota))"
        guard let pipeline else {
            guard quota < Self.ownMemory else { return .ok("memory", found) }
            return .warn(
                "memory",
                found,
                help: "raise 'MemoryMax=' in the unit to \(DoctorText.size(Self.ownMemory)) or more"
            )
        }
        let both = "\(found), runtime.memory is \(DoctorText.size(pipeline.memory))"
        if pipeline.memory >= quota {
            return .fail(
                "memory",
                both,
                help: "lower 'runtime.memory', or raise 'MemoryMax=' in the unit"
            )
        }
        guard quota - pipeline.memory < Self.ownMemory else { return .ok("memory", both) }
        return .warn(
            "memory",
            both,
            help:
                "leave \(DoctorText.size(Self.ownMemory)) for the rest: lower 'runtime.memory', or "
                + "raise 'MemoryMax='"
        )
    }

    // MARK: Pipeline file

    var pipelineFindings: [DoctorFinding] {
        guard let pipeline, let mode = pipeline.permissions else { return [] }
        let subject = "file \(pipeline.path)"
        let found = "mode \(DoctorText.mode(mode))"
        if mode & 0o002 != 0 {
            return [
                .fail(
                    subject,
                    "\(found), anyone can change it",
                    help: "run 'chmod o-w \(pipeline.path)'"
                )
            ]
        }
        guard let first = pipeline.literalSecrets.first, mode & 0o044 != 0 else {
            return [.ok(subject, found)]
        }
        let others = pipeline.literalSecrets.count - 1
        let names = "'\(first)'" + (others > 0 ? " and \(others) more" : "")
        return [
            .warn(
                subject,
                "\(found), others may read it, and \(names) may be a secret",
                help: "run 'chmod 600 \(pipeline.path)', or write '${NAME}' and set the variable"
            )
        ]
    }
}

// SPDX-License-Identifier: MIT

import TaplineSystem
import Testing

@testable import TaplineCommand

@Suite("Findings of tapline doctor")
struct DoctorFindingsTests {
    /// 2026-06-01 as microseconds.
    private static let now: Int64 = 1_780_272_000_000_000
    private static let day: Int64 = 86_400_000_000
    private static let soon = now + 29 * day
    private static let later = now + 31 * day
    private static let farAway = now + 80 * 365 * day

    private static func pipeline(
        permissions: UInt32? = 0o640,
        secrets: [String] = [],
        maxConnections: Int? = nil,
        memory: Int = 512 << 20
    ) -> DoctorFacts.Pipeline {
        DoctorFacts.Pipeline(
            path: "p.yaml",
            permissions: permissions,
            literalSecrets: secrets,
            maxConnections: maxConnections,
            memory: memory
        )
    }

    @Test(
        "descriptors are compared with what the proxy's clients need",
        arguments: [
            (1024, 4096, nil, .ok, ""),
            (255, 4096, nil, .fail, "ulimit -n 256"),
            (255, 255, nil, .fail, "limits.conf(5)"),
            (20_064, 20_064, 10_000, .ok, ""),
            (20_063, 30_000, 10_000, .warn, "run 'ulimit -n 20064'"),
            (20_063, 20_063, 10_000, .warn, "'LimitNOFILE=20064'"),
            (100, 30_000, 10_000, .fail, "run 'ulimit -n 20064'"),
            (4096, 4096, .max, .warn, "lower max_connections"),
        ] as [(Int, Int, Int?, DoctorFinding.Status, String)]
    )
    func descriptors(
        soft: Int,
        hard: Int,
        clients: Int?,
        status: DoctorFinding.Status,
        help: String
    ) {
        var facts = DoctorFacts()
        facts.descriptors = DescriptorLimits(soft: soft, hard: hard)
        facts.pipeline = Self.pipeline(maxConnections: clients)
        let finding = facts.descriptorFinding
        #expect(finding.status == status)
        #expect(finding.found.hasPrefix("at most \(soft), hard limit \(hard)"))
        #expect((finding.help ?? "").contains(help) || help.isEmpty)
    }

    @Test("an unknown limit of descriptors is a warning")
    func unknownDescriptors() {
        #expect(DoctorFacts().descriptorFinding.status == .warn)
    }

    @Test(
        "the clock must be plausible and should be synchronised",
        arguments: [
            (now, true, .ok), (now, false, .warn), (now, nil, .warn), (0, true, .fail),
            (-1, nil, .fail), (farAway, true, .fail),
        ] as [(Int64, Bool?, DoctorFinding.Status)]
    )
    func clock(now: Int64, isSynchronised: Bool?, status: DoctorFinding.Status) {
        var facts = DoctorFacts()
        facts.now = now
        facts.isClockSynchronised = isSynchronised
        #expect(facts.clockFindings.map(\.status) == [status])
    }

    @Test(
        "the memory of the pipeline must fit into that of the group",
        arguments: [
            (nil, nil, .ok), (nil, 512, .ok), (128, nil, .warn), (256, nil, .ok),
            (1024, 512, .ok), (767, 512, .warn), (768, 512, .ok), (512, 512, .fail),
            (100, 512, .fail),
        ] as [(Int?, Int?, DoctorFinding.Status)]
    )
    func memory(quota: Int?, memory: Int?, status: DoctorFinding.Status) {
        var facts = DoctorFacts()
        facts.memoryQuota = quota.map { $0 << 20 }
        facts.pipeline = memory.map { Self.pipeline(memory: $0 << 20) }
        #expect(facts.memoryFinding.status == status)
    }

    @Test(
        "the file must not be changed by others, nor read by them if it has secrets",
        arguments: [
            (nil, ["token"], nil), (0o644, [], .ok), (0o600, ["token"], .ok),
            (0o644, ["token"], .warn), (0o640, ["token", "password"], .warn),
            (0o666, [], .fail), (0o602, ["token"], .fail),
        ] as [(UInt32?, [String], DoctorFinding.Status?)]
    )
    func file(permissions: UInt32?, secrets: [String], status: DoctorFinding.Status?) {
        var facts = DoctorFacts()
        facts.pipeline = Self.pipeline(permissions: permissions, secrets: secrets)
        #expect(facts.pipelineFindings.first?.status == status)
    }

    @Test(
        "an authority must be valid and should be trusted",
        arguments: [
            (.missing, [.warn]),
            (.unusable("mode 644", help: nil), [.fail]),
            (.usable(notBefore: 0, notAfter: later, isTrusted: true), [.ok]),
            (.usable(notBefore: 0, notAfter: later, isTrusted: nil), [.ok]),
            (.usable(notBefore: 0, notAfter: later, isTrusted: false), [.warn]),
            (.usable(notBefore: 0, notAfter: soon, isTrusted: true), [.warn]),
            (.usable(notBefore: 0, notAfter: soon, isTrusted: false), [.warn, .warn]),
            (.usable(notBefore: 0, notAfter: now, isTrusted: true), [.fail]),
            (.usable(notBefore: soon, notAfter: later, isTrusted: true), [.fail]),
        ] as [(DoctorFacts.Authority.State, [DoctorFinding.Status])]
    )
    func authority(state: DoctorFacts.Authority.State, statuses: [DoctorFinding.Status]) {
        var facts = DoctorFacts()
        facts.now = Self.now
        let authority = DoctorFacts.Authority(folder: "ca", state: state)
        #expect(facts.authorityFindings(of: authority).map(\.status) == statuses)
    }

    @Test(
        "a port must be free, but may be taken by the running pipeline or the service manager",
        arguments: [
            (.free, .ok, "free"),
            (.taken(by: PortHolder(process: 7, name: "nginx")), .fail, "taken by nginx, process 7"),
            (.taken(by: PortHolder(process: 7, name: "tapline")), .warn, "taken by tapline"),
            (.taken(by: PortHolder(process: 1, name: "systemd")), .warn, "taken by systemd"),
            (.taken(by: nil), .fail, "taken, for"),
            (.forbidden, .fail, "may not listen"),
            (.unusable("cannot listen"), .fail, "cannot listen"),
        ] as [(DoctorFacts.Port.State, DoctorFinding.Status, String)]
    )
    func port(state: DoctorFacts.Port.State, status: DoctorFinding.Status, found: String) {
        let finding = DoctorFacts.finding(
            of: DoctorFacts.Port(address: "127.0.0.1:80", use: "source 'proxy'", state: state)
        )
        #expect(finding.status == status)
        #expect(finding.found.contains(found))
    }

    @Test(
        "a key file must be there and be its owner's alone",
        arguments: [
            (0o600, nil, .ok), (0o400, nil, .ok), (0o640, nil, .fail), (0o604, nil, .fail),
            (nil, nil, .fail), (nil, "permission denied", .fail),
        ] as [(UInt32?, String?, DoctorFinding.Status)]
    )
    func key(permissions: UInt32?, problem: String?, status: DoctorFinding.Status) {
        let key = DoctorFacts.KeyFile(path: "k", permissions: permissions, problem: problem)
        #expect(DoctorFacts.finding(of: key).status == status)
    }

    @Test("every finding that is not ok says what to do, and no other one does")
    func help() {
        var facts = DoctorFacts()
        facts.ports = [DoctorFacts.Port(address: "a", use: "b", state: .free)]
        facts.keys = [DoctorFacts.KeyFile(path: "k", permissions: 0o644)]
        facts.authorities = [DoctorFacts.Authority(folder: "ca", state: .missing)]
        let findings = facts.findings
        #expect(Set(findings.map(\.status)) == Set(DoctorFinding.Status.allCases))
        #expect(findings.allSatisfy { ($0.help == nil) == ($0.status == .ok) })
    }
}

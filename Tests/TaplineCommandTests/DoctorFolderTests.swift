// SPDX-License-Identifier: MIT

import TaplineSystem
import Testing

@testable import TaplineCommand

@Suite("Folders of tapline doctor")
struct DoctorFolderTests {
    private static func findings(
        _ state: DoctorFacts.Folder.State = .writable,
        free: Int = 8 << 30,
        inodes: Int? = 1_000_000,
        isReadOnly: Bool = false,
        needed: Int = 0,
        file: String? = nil
    ) -> [DoctorFinding] {
        let space = FileSystemSpace(freeBytes: free, freeInodes: inodes, isReadOnly: isReadOnly)
        return DoctorFacts.findings(
            of: DoctorFacts.Folder(
                path: "out",
                use: "sink 'ndjson'",
                state: state,
                space: space,
                neededBytes: needed,
                unwritableFile: file
            )
        )
    }

    @Test("a folder with space is fine")
    func fine() {
        let findings = Self.findings()
        #expect(findings == [.ok("folder out", "writable, 8 GiB free, for sink 'ndjson'")])
    }

    @Test("a folder that is missing, not a folder or not writable fails")
    func states() {
        let missing = Self.findings(.missing)
        #expect(missing.map(\.status) == [.fail])
        #expect(missing.first?.help == "run 'mkdir -p out'")
        #expect(Self.findings(.notAFolder).map(\.status) == [.fail])
        let closed = Self.findings(.notWritable("permission denied"))
        #expect(closed.map(\.status) == [.fail])
        #expect(closed.first?.found == "not writable, permission denied, for sink 'ndjson'")
        let readOnly = Self.findings(.notWritable("read-only file system"), isReadOnly: true)
        #expect(readOnly.first?.found == "its file system is read-only, for sink 'ndjson'")
        #expect(readOnly.first?.help?.contains("ReadWritePaths=out") == true)
        #expect(Self.findings(file: "cannot write 'out/a'").map(\.status) == [.fail])
    }

    @Test(
        "little space and few inodes are a warning or fail",
        arguments: [
            (64, nil, 0, [.warn]), (63, nil, 0, [.fail]), (1024, nil, 0, [.ok]),
            (1023, nil, 0, [.warn]), (1024, nil, 2048, [.warn]), (4096, 10_000, 2048, [.ok]),
            (4096, 9999, 0, [.warn]), (4096, 99, 0, [.fail]), (0, 0, 0, [.fail, .fail]),
        ] as [(Int, Int?, Int, [DoctorFinding.Status])]
    )
    func shortage(free: Int, inodes: Int?, needed: Int, statuses: [DoctorFinding.Status]) {
        let findings = Self.findings(free: free << 20, inodes: inodes, needed: needed << 20)
        #expect(findings.map(\.status) == statuses)
    }

    @Test(
        "sizes are rounded down to the largest unit",
        arguments: [
            (-1, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1_048_575, "1023 KiB"),
            (.max, "8388607 TiB"),
        ] as [(Int, String)]
    )
    func sizes(bytes: Int, text: String) {
        #expect(DoctorText.size(bytes) == text)
    }

    @Test("modes have at least three digits")
    func modes() {
        #expect(DoctorText.mode(0o600) == "600")
        #expect(DoctorText.mode(0o4) == "004")
        #expect(DoctorText.mode(0o1777) == "1777")
    }
}

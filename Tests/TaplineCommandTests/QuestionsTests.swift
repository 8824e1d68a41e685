// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

/// Runs every command of a page in order, in an empty folder, with the command that the build puts
/// next to the tests.
@Suite("The pages with answers")
struct QuestionsTests {
    /// The folder of the built command, if there is one.
    private static let commands: String? = {
        let folder = (CommandLine.arguments.first ?? "").split(separator: "/").dropLast()
        let path = "/" + folder.joined(separator: "/")
        return ChildProcess.find(path + "/tapline", in: nil).map { _ in path }
    }()

    @Test(
        "has commands that succeed, with the output that it shows",
        .enabled(if: commands != nil, "the command is not built next to the tests"),
        arguments: [
            ("Sources/Pipeline/TaplineStore/Questions.md", 20),
            ("Sources/Pipeline/TaplineMatching/Comparing.md", 5),
        ]
    )
    func run(page: String, count: Int) throws {
        let commands = try #require(Self.commands)
        let folder = try TemporaryFolder()
        let setup =
            "PATH='\(commands)':$PATH TAPLINE='\(TestFiles.repository)'; export PATH TAPLINE; "
            + "set -e; cd '\(folder.path)'\n"
        let blocks = try PageBlock.all(of: page)
        #expect(blocks.count > count)
        for (block, next) in zip(blocks, blocks.dropFirst() + [PageBlock(language: "", text: "")])
        where block.language == "sh" {
            let (output, status) = try runShell(setup + block.text)
            #expect(status == 0, "\(block.text)\(output)")
            guard next.language == "text" else { continue }
            #expect(output == next.text, "\(block.text)")
        }
    }
}

/// A fenced block of code on a page.
struct PageBlock {
    /// The word after the fence.
    let language: String
    /// The lines, each with its end.
    let text: String

    /// The blocks of a page, whose path is relative to the repository.
    static func all(of page: String) throws -> [PageBlock] {
        let parts = try TestFiles.text(of: "\(TestFiles.repository)/\(page)").split(
            separator: "```",
            omittingEmptySubsequences: false
        )
        return parts.enumerated().filter { $0.offset % 2 == 1 }
            .map { part in
                let lines = part.element.split(
                    separator: "\n",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                return PageBlock(language: String(lines[0]), text: String(lines.last ?? ""))
            }
    }
}

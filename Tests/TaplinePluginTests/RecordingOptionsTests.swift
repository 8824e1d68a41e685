// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import Testing

@Suite("The options of sources of recordings")
struct RecordingOptionsTests {
    private let loop = RecordingOptions.loop("played")

    /// Returns the value of `loop`, or the problems.
    private func decode(_ value: String) -> (passes: RecordingPasses?, problems: String) {
        var diagnostics = Diagnostics()
        let yaml = "{ loop: \(value) }"
        let root = ConfigReader().read(Array(yaml.utf8), name: "p.yaml", into: &diagnostics)
        let options = root.flatMap {
            OptionSchema(loop).decode(
                $0,
                owner: "replay",
                into: &diagnostics,
                environment: Environment()
            )
        }
        return (options.map { $0[loop] }, diagnostics.rendered)
    }

    @Test("loop is a number of passes, or true")
    func passes() {
        #expect(decode("3").passes == .times(3))
        #expect(decode("true").passes == .forever)
        #expect(decode("false").passes == .times(1))
        for wrong in ["0", "-1", "often", "'true'", "99999999999999999999"] {
            #expect(decode(wrong).problems.contains("a number of passes, at least 1, or true"))
        }
        #expect(loop.defaultValue == .times(1))
        #expect(loop.summary.hasPrefix("How many times the recordings are played; "))
    }

    @Test("the passes that follow each other are counted from 0")
    func counts() {
        #expect((0..<3).map { RecordingPasses.times(2).goesOn(after: $0) } == [true, false, false])
        #expect(RecordingPasses.forever.goesOn(after: .max))
        #expect(RecordingPasses.times(2).count == 2 && RecordingPasses.forever.count == nil)
    }
}

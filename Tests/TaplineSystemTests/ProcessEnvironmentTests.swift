// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineSystem

@Suite struct ProcessEnvironmentTests {
    /// `Tests/Soak/clock` runs the command with a library that hides the words from Swift.
    @Test func theWordsOfTheKernelAreThoseOfSwift() {
        #expect(ProcessEnvironment.kernelArguments.count > 1)
        #expect(ProcessEnvironment.kernelArguments == CommandLine.arguments)
        #expect(ProcessEnvironment.arguments == CommandLine.arguments)
    }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineNet

@Suite struct HappyEyeballsTests {
    let four = SocketAddress(.loopbackV4, port: 1)
    let fourth = SocketAddress(.loopbackV4, port: 2)
    let six = SocketAddress(.loopbackV6, port: 1)
    let sixth = SocketAddress(.loopbackV6, port: 2)
    let none = NetError(.dns, "none")
    let refused = NetError(.connectRefused, "refused")
    let unreachable = NetError(.unreachable, "unreachable")

    @Test func alternatesTheFamilies() {
        #expect(HappyEyeballs.interleaved([six, sixth, four]) == [six, four, sixth])
        #expect(
            HappyEyeballs.interleaved([four, fourth, six, sixth]) == [four, six, fourth, sixth]
        )
        #expect(HappyEyeballs.interleaved([four, fourth]) == [four, fourth])
        #expect(HappyEyeballs.interleaved([]) == [])
    }

    @Test func failsWithoutAnAddress() {
        var race = HappyEyeballs([])
        #expect(race.begin(otherwise: none) == .fail(none))
    }

    @Test func startsTheNextAfterTheHeadStart() {
        var race = HappyEyeballs([six, four])
        #expect(race.begin(otherwise: none) == .start(six))
        #expect(race.headStartEnded() == .start(four))
        #expect(race.headStartEnded() == .wait)
        #expect(race.attemptFailed(refused) == .wait)
        #expect(race.attemptFailed(unreachable) == .fail(refused))
    }

    @Test func startsTheNextAtOnceAfterAFailure() {
        var race = HappyEyeballs([six, four])
        #expect(race.begin(otherwise: none) == .start(six))
        #expect(race.attemptFailed(unreachable) == .start(four))
        #expect(race.headStartEnded() == .wait)
        #expect(race.attemptFailed(refused) == .fail(refused))
    }
}

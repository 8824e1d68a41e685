// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct TagsTests {
    @Test func namesHaveOneValueAndKeepTheirPosition() {
        var tags: Tags = ["a": "1", "b": "2", "a": "3"]
        #expect(tags.map(\.name) == ["a", "b"])
        #expect(tags["a"] == "3")
        tags["b"] = "4"
        tags["c"] = "5"
        #expect(tags.map(\.value) == ["3", "4", "5"])
        tags["a"] = nil
        tags["none"] = nil
        #expect(tags.map(\.name) == ["b", "c"])
        #expect(tags["a"] == nil)
        #expect(tags["A"] == nil)
    }

    @Test func newNamesAreAppended() {
        var tags: Tags = ["a": "1"]
        tags.append(newName: "b", value: "2")
        #expect(tags == ["a": "1", "b": "2"])
    }
}

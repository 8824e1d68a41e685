// SPDX-License-Identifier: MIT

internal import TaplineModel

extension ValueForm {
    /// Returns the letter cases in which a value is searched: as it is and, if it has letters
    /// outside ASCII, in lower case, in upper case and with capitalized words.
    ///
    /// ASCII letters match in either case anyway; results differ in other letters. Letters such as
    /// `ß`, whose upper case is two letters, are also kept as they are, since programs do either.
    static func letterCases(of value: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: value, as: UTF8.self)
        guard value.contains(where: { $0 >= 0x80 }), Array(text.utf8) == value else {
            return [value]
        }
        let texts = [
            text,
            text.mapScalars { $0.properties.lowercaseMapping },
            text.mapScalars { $0.properties.uppercaseMapping },
            text.capitalizingWords,
            text.lowercased(),
            text.uppercased(),
        ]
        var known: Set<[UInt8]> = []
        return texts.map { Array($0.utf8) }.filter {
            // Another case may be shorter, as the Kelvin sign becomes `k`.
            $0.count >= LeakValue.minBytes && known.insert($0.map(\.asciiLowercased)).inserted
        }
    }
}

extension String {
    /// The text with each word's first letter in title case, and the others in lower case.
    fileprivate var capitalizingWords: String {
        var isInWord = false
        return mapScalars { scalar in
            let properties = scalar.properties
            defer {
                let isMark = properties.generalCategory == .nonspacingMark
                isInWord = properties.isAlphabetic || isInWord && isMark
            }
            return isInWord ? properties.lowercaseMapping : properties.titlecaseMapping
        }
    }

    /// Maps each scalar to another one; it stays if its mapping has several.
    fileprivate func mapScalars(_ mapping: (Unicode.Scalar) -> String) -> String {
        let mapped = unicodeScalars.map { scalar in
            let others = mapping(scalar).unicodeScalars
            return others.count == 1 ? others.first ?? scalar : scalar
        }
        return String(UnicodeScalarView(mapped))
    }
}

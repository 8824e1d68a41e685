// SPDX-License-Identifier: MIT
//
// URLSession on Linux, which finds the proxy through the variables of libcurl.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
    exit(64)
}
do {
    let (data, _) = try await URLSession.shared.data(from: url)
    FileHandle.standardOutput.write(data)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

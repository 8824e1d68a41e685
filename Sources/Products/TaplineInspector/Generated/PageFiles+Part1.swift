// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/page.

extension PageFiles {
    static let part1 = [
        PageFile(name: "index.html", type: "text/html; charset=utf-8", content: """
            H4sIAAAAAAACAyWNMQ6EMAwE+7zCl/4u7RXGr+ADhhgSKSTWYQp+fxCq1a5mtPiKbbZTBZJthRzeAYXrOnip/h6EI+Em\
            xjAn/u1igz9seX89oWUrQiNryVUwPBVDVxxOLZ6ESmMSUF4F8g61GUxHLvbBoBfaGXcp/f0PSUSelo4AAAA=
            """),
    ]
}

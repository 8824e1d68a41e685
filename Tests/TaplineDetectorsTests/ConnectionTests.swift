// SPDX-License-Identifier: MIT

import Testing

@Suite("Passwords in URLs and connection strings")
struct ConnectionTests {
    private static let secret = "hunter" + "2"

    @Test(
        "are found in the URL of a database, without the user name",
        arguments: [
            "postgres", "postgresql+asyncpg", "mysql", "mongodb+srv", "redis", "rediss", "amqps",
            "jdbc:postgresql", "JDBC:mysql", "nats", "sqlserver",
        ]
    )
    func databases(scheme: String) throws {
        let scan = try Scan(["connection_string", "url_password"])
        for host in ["db.shop.test:5432/shop", "[::1]/0", "a,b:1/x?y=z"] {
            #expect(
                scan("url=\(scheme)://app:\(Self.secret)@\(host)")
                    == [Scan.Finding(kind: "connection_string", text: Self.secret)]
            )
        }
    }

    @Test("are found in any other URL")
    func urls() throws {
        let scan = try Scan(["connection_string", "url_password", "email"])
        for text in [
            "https://app:\(Self.secret)@shop.test/", "\"ftp:\\/\\/app:\(Self.secret)@shop.test\"",
            "http://:\(Self.secret)@shop.test", "git+ssh://a.b:\(Self.secret)@shop.test:22/x",
        ] {
            #expect(
                scan(text) == [Scan.Finding(kind: "url_password", text: Self.secret)]
            )
        }
    }

    @Test("may hold at signs and colons")
    func signs() throws {
        let scan = try Scan(["url_password"])
        #expect(scan.texts("https://app:a@b:c@d@shop.test/@x") == ["a@b:c@d"])
        #expect(scan.texts("https://app:@@a@@@@@shop.test/@@x") == ["@@a@@@@"])
        // At the end of the longest possible user info.
        let longest = String(repeating: "a", count: 1_020)
        #expect(scan.texts("https://app:\(longest)@@@@@@shop.test/") == ["\(longest)@@@@@"])
        #expect(scan.texts("https://app:a\(longest)@shop.test/").isEmpty)
    }

    @Test("are found in Go data source names")
    func dataSources() throws {
        let scan = try Scan(["connection_string"])
        #expect(scan.texts("app:\(Self.secret)@tcp(db:3306)/shop") == [Self.secret])
        #expect(scan.texts("\"app:\(Self.secret)@unix(/run/db)/shop\"") == [Self.secret])
        #expect(scan.texts("app:\(Self.secret)@udp(db:3306)/shop").isEmpty)
    }

    @Test(
        "are found in key-value strings",
        arguments: [
            "Server=db;Database=shop;User Id=app;Password=%;Encrypt=true",
            "PWD=%;UID=app;DRIVER={ODBC}", "Data Source=db;password='%';", "Password={%};Server=db",
            "host=db user=app password=% dbname=shop", "password=% host=db",
            "{\"c\":\"Server=db;Pwd=%\"}", "db.user=app;db.password=%;db.host=x",
            "Server=db;Password={%};x=(a)", "Server=db;Password=%;Options=a||b",
            "jdbc:mysql://db/shop?user=app&password=%&ssl=true",
        ]
    )
    func keysAndValues(text: String) throws {
        let scan = try Scan(["connection_string"])
        #expect(scan.texts(text.replacing("%", with: Self.secret)) == [Self.secret])
    }

    @Test(
        "are not reported for masks, variables and keys without context",
        arguments: [
            "https://shop.test:8080/@x", "https://app@shop.test", "https://app:@shop.test",
            "https://app:****@shop.test", "https://app:[redacted]@shop.test",
            "https://app:%5Bredacted%5D@shop.test", "postgres://app:${PASSWORD}@db/x",
            "postgres://app:{{password}}@db/x", "postgres://app:<password>@db/x",
            "https://unpkg.com/react@18.2.0", "user=app&password=x", "password=x",
            "Server=db;Password=;User=x", "Server=db;Password=****;", "a:b@c", "//a:b@c",
            "Server=db;forgotpassword=x;", "user=k[3]||n;this.password=k[4]||n;host=k[6]||k[7];",
            "this.user=a;this.password=b;this.host=c", "e.host=t;e.password=s;",
            "user=k[3];password=k[4];",
            "host=a;password=readPassword();", "user=q;password=a||b;", "user=q;password=a&&b;",
            "connect(host=None, password=None, user=None)",
        ]
    )
    func none(text: String) throws {
        let scan = try Scan(["connection_string", "url_password"])
        #expect(scan.texts(text).isEmpty)
    }
}

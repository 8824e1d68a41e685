// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { gzipSync } from "node:zlib";
import { webcrypto } from "node:crypto";
import { folder, load } from "./page.mjs";

const container = await load("share/container.js");
const { filter, meaning, WrongFilter } = await load("share/filter.js");
const { ShareData } = await load("share/data.js");
const { ShareServer } = await load("share/server.js");

/** Three exchanges, newest first. */
const EXCHANGES = [
    {
        row: {
            seq: 2, id: "c", at: 3_000_000, method: "POST", scheme: "https", host: "API.shop.test",
            port: 443, path: "/cart?debug=1&a=x%20y", status: 502, state: "completed", us: 1_200_000,
            up: 6, down: 40, type: "application/json; charset=utf-8", tags: { team: "a" },
        },
        route: "/cart", correlation: "t1",
        detail: {
            record: {
                request: {
                    method: "POST", url: "https://API.shop.test/cart?debug=1&a=x%20y", version: "HTTP/2",
                    headers: [["X-Trace", "abc"], ["Cookie", "session=s1; theme=dark"]],
                },
                response: { status: 502, headers: [["Set-Cookie", "session=s2; Path=/"]] },
                tls: { version: "TLSv1.3" },
            },
            notes: [{ text: "look here" }, { mark: "red" }], messages: [], sizes: {},
            bodies: {
                request: { type: "text/plain", state: "complete", decoding: "none", text: "name=x" },
                response: {
                    type: "application/json", state: "masked", decoding: "gzip",
                    text: '{"error":{"code":"E17"},"items":[{"price":9.5},{"price":12}],"ok":false}',
                },
            },
        },
    },
    {
        row: {
            seq: 1, id: "b", at: 2_000_000, method: "GET", scheme: "https", host: "cdn.shop.test",
            port: 443, path: "/app.js", status: 200, state: "completed", us: 50_000, down: 2048,
            type: "text/javascript",
        },
        route: "/app.js",
        detail: {
            record: { request: { method: "GET", url: "https://cdn.shop.test/app.js", headers: [] },
                response: { status: 200, headers: [] } },
            notes: [], messages: [{ dir: "up", type: "text", text: "subscribe" }], sizes: {},
            bodies: { response: { type: "x", state: "complete", decoding: "none", base64: "AAECnGhpZGRlbg==" } },
        },
    },
    {
        row: {
            seq: 0, id: "a", at: 1_000_000, method: "GET", scheme: "https", host: "api.shop.test",
            port: 443, path: "/cart", state: "failed", error: "reset",
        },
        route: "/cart", correlation: "t1",
        detail: {
            record: { request: { method: "GET", url: "https://api.shop.test/cart", headers: [] } },
            notes: [], messages: [], sizes: {}, bodies: {},
        },
    },
];

function section(lines) {
    const bytes = gzipSync(Buffer.from(lines.map((line) => JSON.stringify(line) + "\n").join("")));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([length, bytes]);
}

function file(head = {}) {
    const blocks = [EXCHANGES.slice(0, 2), EXCHANGES.slice(2)].flatMap((block) => [
        section(block.map(({ detail: _, ...item }) => item)),
        section(block.map(({ detail }) => detail)),
    ]);
    const first = { v: 1, version: "1", title: "t.db", redaction: "strict", count: 3, first: 1e6, last: 3e6 };
    return new Uint8Array(Buffer.concat([section([{ ...first, ...head }]), ...blocks]));
}

const data = await ShareData.open(file());
const server = new ShareServer(data);
const ask = async (path, values = {}) => {
    const answer = await server.answer(`/api/${path}?${new URLSearchParams(values)}`);
    return { status: answer.status, ...(await answer.json()) };
};
const ids = async (text, sort = "") => (await ask("rows", { filter: text, sort })).rows.map(({ id }) => id).join("");

test("filters find what the filter language finds", async () => {
    const rows = [
        ["", "cba"], ["status >= 500", "c"], ["not status == 200", "ca"], ["status != 200", "c"],
        ['host == "api.shop.test"', "ca"], ['host like "API.*" and method == "GET"', "a"],
        ['method in ["POST", "PUT"]', "c"], ['path == "/cart"', "ca"], ['path like "/ap?.js"', "b"],
        ['path ~ "^/(cart|x)$"', "ca"], ['path ~ "(?i)CART"', "ca"], ['url contains "debug=1"', "c"],
        ['query["a"] == "x y"', "c"], ['query["debug"] exists', "c"], ['query["none"] exists', ""],
        ["duration > 1s", "c"], ["duration <= 50ms", "b"], ["duration > 0", "cb"],
        ["response.size >= 2KiB", "b"], ["request.size == 6", "c"], ['error == "reset"', "a"],
        ['state != "completed"', "a"], ['status_class == "5xx"', "c"], ["port == 443", "cba"],
        ['content_type == "application/json"', "c"], ['tag["team"] == "a"', "c"],
        ['request.header["x-TRACE"] == "abc"', "c"], ['request.cookie["theme"] == "dark"', "c"],
        ['response.cookie["session"] == "s2"', "c"], ['request.version == "HTTP/2"', "c"],
        ['tls.version exists', "c"], ['json "$.error.code" == "E17"', "c"],
        ['response.json["$.items[*].price"] > 10', "c"], ['json["$.items[0].price"] > 10', ""],
        ["json \"$['ok']\" == false", "c"], ['json "$.items" exists', "c"], ['json "$.none" exists', ""],
        ['response.body contains "hidden"', "b"], ['message.text contains "subscribe"', "b"],
        ['any contains "E17"', "c"], ['any contains "hidden"', "b"], ['note contains "look"', "c"],
        ['mark == "red"', "c"], ['correlation == "t1"', "ca"], ['route == "/cart"', "ca"],
        ['started >= "1970-01-01T00:00:02Z"', "cb"], ['started < "1970-01-01T01:00:02.5+01:00"', "ba"],
        ["started > now - 15m", ""], ["started < now -1d", "cba"],
        ['status == 200 or status == 502 and method == "GET"', "b"],
        ['(status == 200 or status == 502) and method == "POST"', "c"],
        ["not (status == 200 or status == 502)", "a"], ["not not status == 200", "b"],
        ["subscribe", "b"], ['"look nowhere"', ""], ["E17", "c"], ['method == "\\u0047ET"', "ba"],
    ];
    for (const [text, expected] of rows) assert.equal(await ids(text), expected, text);
});

test("a wrong filter is an error at its place", () => {
    const rows = [
        ["stats == 200", 0, 5], ["status === 200", 9, 10], ['status == "x"', 10, 13], ["status ==", 9, 9],
        ['host == "a', 8, 10], ["(status == 200", 14, 14], ["status == 200)", 13, 14], ["@slow", 0, 1],
        ['any == "x"', 4, 6], ["query == 1", 6, 8], ["duration > 5", 11, 12], ['env["A"] exists', 0, 3],
        ['path ~ "("', 7, 10], ['started > "soon"', 10, 16], ['json "a.b" exists', 5, 10],
        ["status contains 2", 16, 17], ['method in "GET"', 10, 15], ["status == 1 status == 2", 12, 18],
    ];
    for (const [text, from, to] of rows) {
        assert.throws(() => filter(text), (error) => {
            assert.ok(error instanceof WrongFilter, `${text}: ${error}`);
            assert.deepEqual([error.from, error.to], [from, to], text);
            return true;
        }, text);
    }
    assert.throws(() => filter("(".repeat(200)), WrongFilter);
    assert.throws(() => filter("not ".repeat(200) + "status == 1"), WrongFilter);
    assert.equal(meaning("teapot"), 'any contains "teapot"');
});

test("places of mistakes are sent in bytes, as the server sends them", async () => {
    const { status, error } = await ask("rows", { filter: 'path == "ä" and x == 1' });
    assert.equal(status, 400);
    assert.deepEqual([error.code, error.from, error.to], ["filter", 17, 18]);
});

test("lists are sorted, with exchanges without the value last", async () => {
    assert.equal(await ids("", "duration"), "bca");
    assert.equal(await ids("", "-duration"), "cba");
    assert.equal(await ids("", "started"), "abc");
    assert.equal((await ask("rows", { sort: "nothing" })).status, 400);
    assert.deepEqual(await ask("locate", { id: "b", sort: "duration" }), { status: 200, index: 0 });
    assert.equal((await ask("locate", { id: "b", filter: "status == 502" })).status, 404);
});

test("an exchange has its record, its group and its neighbours", async () => {
    const detail = await ask("exchanges/c");
    assert.equal(detail.record.request.method, "POST");
    assert.deepEqual(detail.group, { key: "t1", count: 2 });
    assert.deepEqual([detail.previous, detail.next], ["a", undefined]);
    assert.equal((await ask("exchanges/a")).next, "c");
    assert.deepEqual((await ask("exchanges/c/group")).rows.map(({ id }) => id), ["a", "c"]);
    assert.equal((await ask("exchanges/b/messages")).messages[0].text, "subscribe");
    assert.equal((await ask("exchanges/none")).status, 404);
});

test("bodies have the bytes and the fields that the server sends", async () => {
    const body = await server.answer("/api/exchanges/b/body/response?form=decoded");
    assert.deepEqual([...new Uint8Array(await body.arrayBuffer())].slice(0, 4), [0, 1, 2, 156]);
    const cut = await server.answer("/api/exchanges/c/body/response?form=decoded&max=4");
    assert.equal(await cut.text(), '{"er');
    assert.equal(cut.headers.get("Tapline-Body"), "cut-here");
    assert.equal(cut.headers.get("Tapline-Decoding"), "gzip");
    assert.equal((await ask("exchanges/c/body/response", { form: "raw" })).status, 409);
});

test("overviews count the rows of the filter", async () => {
    const { fields } = await ask("facets", { fields: "host,error" });
    assert.deepEqual(fields[1].values, [{ value: null, count: 2 }, { value: "reset", count: 1 }]);
    const time = await ask("timeline", { buckets: 2 });
    assert.equal(time.buckets.reduce((sum, [count]) => sum + count, 0), 3);
    assert.ok(time.from <= 1e6 && time.to > 3e6);
    const { apis } = await ask("apis", { filter: "status exists" });
    assert.deepEqual(apis.map(({ host, count }) => [host, count]), [["API.shop.test", 1], ["cdn.shop.test", 1]]);
    const { chosen, rest, values } = await ask("separates", { chosen: "status == 502" });
    assert.deepEqual([chosen, rest], [1, 2]);
    assert.equal(values[0].share_chosen, 1);
});

test("nothing can be changed, and unknown calls fail", async () => {
    const answer = await server.answer("/api/exchanges/a/mark", { method: "POST", body: "{}" });
    assert.equal(answer.status, 409);
    assert.equal((await ask("export")).status, 404);
    const info = await ask("info");
    assert.deepEqual(info.exports, []);
    assert.ok(Object.values(info.can).every((can) => can === false));
});

test("a file that compares shows its differences, and says what it leaves out", async () => {
    const { note } = await load("share/differences.js");
    const differences = { recorded: "a", found: "b", summary: "", pairs: 5, shown: 3, routes: [] };
    const comparing = new ShareServer(await ShareData.open(file({ differences })));
    const answer = await comparing.answer("/api/info");
    assert.equal((await answer.json()).differences, true);
    assert.equal((await ask("info")).differences, false);
    assert.equal(note(differences), "The file has the exchanges of 3 pairs that differ; 2 more are left out.");
    assert.equal(note({ ...differences, pairs: 1, shown: 1 }), "The file has the exchanges of 1 pair that differs.");
    assert.equal(note({ ...differences, shown: 0 }), "The file has none of the exchanges.");
});

test("a damaged file is an error that says so", async () => {
    const bytes = file();
    for (const damaged of [bytes.subarray(0, bytes.length - 3), bytes.subarray(4), new Uint8Array(0)]) {
        await assert.rejects(ShareData.open(damaged), container.Damaged);
    }
    const changed = Uint8Array.from(bytes);
    changed[20] ^= 0xFF;
    await assert.rejects(ShareData.open(changed), container.Damaged);
    await assert.rejects(ShareData.open(file({ v: 2 })), /newer version/);
    assert.throws(() => container.decoded("AAA"), container.Damaged);
    assert.throws(() => container.decoded("A*=="), container.Damaged);
    assert.deepEqual([...container.decoded("AAEC\n")], [0, 1, 2]);
});

test("an encrypted file opens with its passphrase only", async () => {
    const salt = webcrypto.getRandomValues(new Uint8Array(16));
    const nonce = webcrypto.getRandomValues(new Uint8Array(12));
    const base64 = (bytes) => Buffer.from(bytes).toString("base64");
    const { subtle } = webcrypto;
    const material = await subtle.importKey("raw", Buffer.from("correct h\u00f6rse"), "PBKDF2", false, ["deriveKey"]);
    const key = await subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 1000 }, material,
        { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
    const sealed = new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, file()));
    const how = { salt: base64(salt), nonce: base64(nonce), rounds: 1000 };
    for (const form of ["correct h\u00f6rse", "correct ho\u0308rse"]) {
        const bytes = await container.opened(sealed, form, how);
        assert.equal((await ShareData.open(bytes)).items.length, 3);
    }
    await assert.rejects(container.opened(sealed, "wrong horse", how), container.WrongPassphrase);
    sealed[9] ^= 1;
    await assert.rejects(container.opened(sealed, "correct h\u00f6rse", how), container.WrongPassphrase);
});

test("the page of shared files is one script that its policy allows, and loads nothing", async () => {
    const root = fileURLToPath(new URL("../../../../", folder));
    const page = execFileSync(`${root}/Tests/Scripts/share`, [root, "--html"], { encoding: "utf-8" });
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page);
    new vm.Script(script);
    const [, styles] = /<style>([\s\S]*)<\/style>/.exec(page);
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page);
    for (const [directive, text] of [["script-src", script], ["style-src", styles]]) {
        const hash = await webcrypto.subtle.digest("SHA-256", Buffer.from(text));
        assert.ok(policy.includes(`${directive} 'sha256-${Buffer.from(hash).toString("base64")}'`), directive);
    }
    assert.match(policy, /^default-src 'none'/);
    const markup = page.replace(script, "").replace(styles, "");
    assert.doesNotMatch(markup, /\b(?:src|href)="(?!#)/);
    assert.doesNotMatch(markup, /\sstyle=|\son\w+=/);
});

// SPDX-License-Identifier: MIT
// Opens a file of `tapline share` with the modules of its page, and prints what it has as JSON.
//
//     node shared.mjs PAGE FILE [PASSPHRASE]

import { readFileSync } from "node:fs";

const [page, file, passphrase] = process.argv.slice(2);
const { decoded, opened } = await import(`${page}/share/container.js`);
const { ShareData } = await import(`${page}/share/data.js`);
const text = readFileSync(file, "utf-8");
const [, attributes, content] = /<script type="application\/octet-stream" id="data"([^>]*)>([^<]*)/.exec(text);
const value = (name) => new RegExp(`data-${name}="([^"]*)"`).exec(attributes)?.[1];
let bytes = decoded(content);
if (passphrase) {
    const how = { salt: value("salt"), nonce: value("nonce"), rounds: Number(value("rounds")) };
    bytes = await opened(bytes, passphrase, how);
}
const data = await ShareData.open(bytes);
await data.load();
console.log(JSON.stringify({
    head: data.head,
    rounds: value("rounds"),
    items: data.items.map(({ at, row, route }) => ({ row, route, ...data.detail(at) })),
}));

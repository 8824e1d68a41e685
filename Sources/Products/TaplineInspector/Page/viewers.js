// SPDX-License-Identifier: MIT
// @ts-check
// Chooses how the bytes of a body can be shown. The declared type decides; the reader may choose
// another view. Nothing captured becomes HTML of the page.

import { button, h } from "./dom.js";
import { count, size } from "./formats.js";
import { hexView } from "./hex.js";
import * as json from "./json.js";
import { jsonTree } from "./json-tree.js";
import { coloured, indented } from "./markup.js";
import { isMasked, pairs, streamEvents } from "./messages.js";
import * as multipart from "./multipart.js";
import * as protobuf from "./protobuf.js";

/** @typedef {{id: string, name: string, show: () => Node}} View */

const TEXT_CHUNK = 200_000;
// SVG is none of them: as a blob it would have the origin of this page, and could run scripts.
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
const MEDIA = /^(audio|video)\/[\w.+-]+$/;

/** @param {string} type */
export const essence = (type) => type.split(";")[0]?.trim().toLowerCase() ?? "";

/** @param {Uint8Array} bytes @param {string} type */
function decode(bytes, type) {
    const label = /;\s*charset="?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
    try {
        return new TextDecoder(label).decode(bytes);
    } catch {
        return new TextDecoder().decode(bytes);
    }
}

/** @param {Uint8Array} bytes */
function isText(bytes) {
    const start = bytes.subarray(0, 4096);
    try {
        new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
        return !start.includes(0);
    } catch {
        return false;
    }
}

/**
 * Text that is shown in pieces.
 * @param {string} text @param {(text: string) => Node} [make]
 */
function textView(text, make = (part) => h("pre", { class: "code", tabindex: 0 }, part)) {
    if (text.length <= TEXT_CHUNK) return make(text);
    const box = h("div", {});
    let shown = 0;
    const more = button("", () => add());
    const add = () => {
        box.insertBefore(make(text.slice(shown, shown + TEXT_CHUNK)), more);
        shown += TEXT_CHUNK;
        more.hidden = shown >= text.length;
        more.textContent = `more: ${count(Math.max(0, text.length - shown))} characters`;
    };
    box.append(more);
    add();
    return box;
}

/** @param {[string, string][]} rows @param {[string, string] | null} heads */
export function pairTable(rows, heads = ["Name", "Value"]) {
    return h(
        "table",
        { class: "pairs" },
        heads && h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
        h(
            "tbody",
            {},
            rows.map(([name, value]) =>
                h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, name),
                    h(
                        "td",
                        { class: isMasked(value) ? "masked" : null },
                        value,
                        isMasked(value) ? h("small", {}, "masked") : null,
                    ),
                )
            ),
        ),
    );
}

/** @param {protobuf.Field[]} fields @returns {HTMLElement} */
function fieldList(fields) {
    return h(
        "ul",
        { class: "fields" },
        fields.map((field) =>
            h(
                "li",
                {},
                h("span", { class: "name" }, String(field.field)),
                h("span", { class: "soft" }, ` ${field.kind} `),
                field.fields ? fieldList(field.fields) : h(
                    "span",
                    { class: field.kind === "text" ? "string" : "number" },
                    field.value,
                ),
            )
        ),
    );
}

/** @param {Uint8Array} bytes */
function protobufView(bytes) {
    const frames = protobuf.frames(bytes);
    const single = (/** @type {Uint8Array} */ part) => {
        const fields = protobuf.decode(part);
        return fields ? fieldList(fields) : hexView(part);
    };
    if (!frames) return single(bytes);
    return h(
        "div",
        {},
        frames.map((frame, at) =>
            h(
                "section",
                {},
                h(
                    "h4",
                    {},
                    `Message ${at + 1}, ${size(frame.bytes.length)}${
                        frame.compressed ? ", compressed" : ""
                    }${frame.trailers ? ", trailers" : ""}`,
                ),
                frame.trailers
                    ? textView(decode(frame.bytes, ""))
                    : frame.compressed
                    ? hexView(frame.bytes)
                    : single(frame.bytes),
            )
        ),
    );
}

/** @param {json.Json} node @returns {View | null} */
function graphql(node) {
    if (node.kind !== "object") return null;
    const query = node.entries.find(([name]) => name === "query")?.[1];
    if (
        query?.kind !== "string" ||
        !/^\s*(query|mutation|subscription|fragment|\{)/.test(query.value)
    ) return null;
    const rest = node.entries.filter(([name]) => name !== "query");
    return {
        id: "graphql",
        name: "GraphQL",
        show: () =>
            h(
                "div",
                {},
                h("pre", { class: "code", tabindex: 0 }, query.value.trim()),
                rest.length ? jsonTree({ kind: "object", entries: rest }) : null,
            ),
    };
}

/**
 * @param {Uint8Array} bytes
 * @param {string} type
 * @param {(url: string) => HTMLElement} make
 * @returns {Node}
 */
function blobView(bytes, type, make) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    const element = make(url);
    element.dataset.blob = url;
    return element;
}

/** @param {Uint8Array} bytes @param {string} type */
function imageView(bytes, type) {
    const note = h("p", { class: "soft" }, size(bytes.length));
    const image = h("img", { alt: "image of the body", class: "shown" });
    image.onload = () => {
        note.textContent = `${image.naturalWidth} × ${image.naturalHeight}, ${size(bytes.length)}`;
    };
    image.onerror = () => {
        note.textContent = "The browser cannot show this image.";
    };
    const box = h("div", {}, image, note);
    return blobView(bytes, type, (url) => {
        image.src = url;
        return box;
    });
}

/** @param {Uint8Array} bytes @param {string} type @returns {View} */
function formView(bytes, type) {
    return { id: "form", name: "Form", show: () => pairTable(pairs(decode(bytes, type))) };
}

/** @param {Uint8Array} bytes @param {string} type @returns {View} */
function eventsView(bytes, type) {
    return {
        id: "events",
        name: "Events",
        show: () =>
            h(
                "ol",
                { class: "sent" },
                streamEvents(decode(bytes, type)).map((event) => {
                    const box = h(
                        "details",
                        {},
                        h(
                            "summary",
                            {},
                            h("span", { class: "kind" }, event.type),
                            h("span", { class: "soft" }, event.id),
                            h("span", { class: "text" }, event.data.slice(0, 300)),
                        ),
                    );
                    box.addEventListener("toggle", () => {
                        if (box.children.length > 1) return;
                        const data = new TextEncoder().encode(event.data);
                        box.append(
                            h(
                                "div",
                                { class: "opened" },
                                views(
                                    data,
                                    /^\s*[{[]/.test(event.data) ? "application/json" : "text/plain",
                                )[0]?.show(),
                            ),
                        );
                    });
                    return h("li", {}, box);
                }),
            ),
    };
}

/** @param {Uint8Array} bytes @param {string} type @returns {View | null} */
function partsView(bytes, type) {
    const found = multipart.parts(bytes, type);
    return found &&
        {
            id: "parts",
            name: `Parts (${found.length})`,
            show: () =>
                h(
                    "div",
                    {},
                    found.map((part, at) => {
                        const title = part.name || part.file || `Part ${at + 1}`;
                        const inner = views(part.bytes, part.type || "text/plain")[0];
                        return h(
                            "section",
                            { class: "part" },
                            h(
                                "h4",
                                {},
                                title,
                                h(
                                    "span",
                                    { class: "soft" },
                                    ` ${
                                        [
                                            part.file && part.name ? part.file : "",
                                            part.type,
                                            size(part.bytes.length),
                                        ].filter(Boolean).join(" · ")
                                    }`,
                                ),
                            ),
                            inner?.show(),
                        );
                    }),
                ),
        };
}

/**
 * The ways to show a body, the best first.
 * @param {Uint8Array} bytes @param {string} type @returns {View[]}
 */
export function views(bytes, type) {
    /** @type {View[]} */
    const found = [];
    const kind = essence(type);
    const text = isText(bytes);
    if (
        text &&
        (/[/+]json$|ndjson|json-seq|graphql/.test(kind) ||
            (!kind && /^[{[]/.test(decode(bytes.subarray(0, 1), ""))))
    ) {
        const whole = decode(bytes, type);
        /** @type {json.Json | null} */
        let node = null;
        try {
            node = json.parse(whole);
        } catch {
            node = json.parseLines(whole);
        }
        if (node) {
            const tree = node;
            const query = graphql(tree);
            if (query) found.push(query);
            found.push({ id: "json", name: "JSON", show: () => jsonTree(tree) }, {
                id: "pretty",
                name: "Indented",
                show: () => textView(json.write(tree)),
            });
        }
    }
    if (/[/+]xml$/.test(kind) && kind !== "image/svg+xml") {
        found.push({
            id: "xml",
            name: "XML",
            show: () => textView(indented(decode(bytes, type)), coloured),
        });
    }
    if (IMAGES.test(kind)) {
        found.push({
            id: "image",
            name: "Image",
            show: () => imageView(bytes, kind),
        });
    }
    if (kind === "text/html" || kind === "image/svg+xml") {
        found.push({
            id: "html",
            name: "Source",
            show: () => textView(decode(bytes, type), coloured),
        });
    }
    if (kind === "application/x-www-form-urlencoded") found.push(formView(bytes, type));
    if (kind === "text/event-stream") found.push(eventsView(bytes, type));
    if (kind.startsWith("multipart/")) {
        const parts = partsView(bytes, type);
        if (parts) found.push(parts);
    }
    if (MEDIA.test(kind)) {
        const tag = kind.startsWith("audio") ? "audio" : "video";
        found.push({
            id: "media",
            name: "Play",
            show: () =>
                blobView(bytes, kind, (src) => h(tag, { src, controls: true, class: "shown" })),
        });
    }
    if (kind === "application/pdf") {
        found.push({
            id: "pdf",
            name: "PDF",
            show: () => h("p", { class: "note" }, "Save the PDF to look at it."),
        });
    }
    if (/protobuf|\/grpc/.test(kind)) {
        found.push({
            id: "protobuf",
            name: "Protobuf",
            show: () => protobufView(bytes),
        });
    }
    const plain = { id: "text", name: "Text", show: () => textView(decode(bytes, type)) };
    const hex = { id: "hex", name: "Hex", show: () => hexView(bytes) };
    found.push(...(text ? [plain, hex] : [hex, plain]));
    if (!text && !/protobuf|\/grpc/.test(kind) && protobuf.decode(bytes)?.length) {
        found.push({ id: "protobuf", name: "Protobuf", show: () => protobufView(bytes) });
    }
    return found;
}

// SPDX-License-Identifier: MIT
// @ts-check
// One message of an exchange: line, query, headers, cookies, body, trailers.

import { app } from "./app.js";
import { button, copy, h } from "./dom.js";
import { equals, joined } from "./filters.js";
import { count, size } from "./formats.js";
import * as jwt from "./jwt.js";
import {
    grouped,
    header,
    isMasked,
    pairs,
    plain,
    query,
    sentCookies,
    setCookies,
} from "./messages.js";
import { pairTable } from "./viewers.js";
import { TlBody } from "./tl-body.js";

/** @typedef {import("./types").Detail} Detail @typedef {import("./types").Message} Message */

const CLOSED = "tapline.closed";
/** @returns {string[]} */
const closed = () => {
    try {
        return JSON.parse(localStorage.getItem(CLOSED) ?? "[]");
    } catch {
        return [];
    }
};

/**
 * A section that collapses, and remembers it.
 * @param {string} name @param {string} note @param {Node | null} content @param {boolean} [open]
 */
export function section(name, note, content, open = true) {
    const key = name.toLowerCase();
    const isOpen = open !== closed().includes(key);
    const box = h(
        "details",
        { open: isOpen, class: `part-${key.replace(/\W+/g, "-")}` },
        h("summary", {}, h("h3", {}, name), note ? h("span", { class: "soft" }, note) : null),
        content,
    );
    box.addEventListener("toggle", () => {
        const others = closed().filter((other) => other !== key);
        localStorage.setItem(CLOSED, JSON.stringify(box.open === open ? others : [...others, key]));
    });
    return box;
}

let raw = localStorage.getItem("tapline.headers") === "raw";

/** @param {"request" | "response"} side @param {Message} message @param {string} line */
function headerView(side, message, line) {
    const box = h("div", {});
    const draw = () => {
        const headers = message.headers ?? [];
        box.textContent = "";
        box.append(
            h(
                "div",
                { class: "bar" },
                h(
                    "div",
                    { class: "choice", role: "group", "aria-label": "Headers" },
                    button("Grouped", () => {
                        set(false);
                    }, { "aria-pressed": String(!raw) }),
                    button("Raw", () => {
                        set(true);
                    }, { "aria-pressed": String(raw) }),
                ),
                h("span", { class: "gap" }),
                button("Copy", () =>
                    copy(
                        headers.map(([name, value]) => `${plain(name)}: ${plain(value)}`).join(
                            "\n",
                        ),
                        "headers copied",
                    )),
            ),
        );
        if (raw) {
            box.append(
                h(
                    "pre",
                    { class: "code", tabindex: 0 },
                    [line, ...headers.map(([name, value]) => `${plain(name)}: ${plain(value)}`)]
                        .join("\n"),
                ),
            );
        } else {
            for (const group of grouped(headers)) {
                box.append(
                    h("h4", {}, group.name),
                    h(
                        "dl",
                        { class: "headers" },
                        group.headers.map(([name, value]) =>
                            headerRow(side, plain(name), plain(value))
                        ),
                    ),
                );
            }
        }
    };
    const set = (/** @type {boolean} */ next) => {
        raw = next;
        localStorage.setItem("tapline.headers", raw ? "raw" : "grouped");
        draw();
    };
    draw();
    return box;
}

/** @param {"request" | "response"} side @param {string} name @param {string} value */
function headerRow(side, name, value) {
    const token = jwt.token(value);
    const only = () => {
        const { filter } = app.state;
        app.go({
            filter: joined(
                filter,
                equals(`${side}.header[${JSON.stringify(name.toLowerCase())}]`, value),
                app.meaning(filter),
            ),
        });
    };
    const tools = h(
        "span",
        { class: "tools" },
        button("copy", () => copy(value, `${name} copied`)),
        isMasked(value)
            ? null
            : button("only", only, { title: "show only exchanges with this value" }),
    );
    return h(
        "div",
        {},
        h("dt", {}, name),
        h(
            "dd",
            { class: isMasked(value) ? "masked" : null },
            token ? token.masked : value,
            isMasked(value) ? h("small", {}, "masked") : null,
            token ? tokenView(token) : null,
            tools,
        ),
    );
}

/** @param {jwt.Token} token */
function tokenView(token) {
    return h(
        "details",
        { class: "token" },
        h("summary", {}, "token"),
        pairTable(jwt.times(token, Date.now() / 1000), null),
        h(
            "pre",
            { class: "code", tabindex: 0 },
            JSON.stringify({ header: token.header, payload: token.payload }, null, 2),
        ),
        h(
            "p",
            { class: "soft" },
            token.signature
                ? `Signature of ${count(token.signature)} characters, not shown.`
                : "Without signature.",
        ),
    );
}

/** @param {import("./messages.js").Cookie[]} cookies */
function cookieTable(cookies) {
    const set = cookies.some((cookie) => cookie.attributes.length);
    return h(
        "table",
        { class: "pairs" },
        h(
            "thead",
            {},
            h(
                "tr",
                {},
                ["Name", "Value", ...(set ? ["Attributes"] : [])]
                    .map((head) => h("th", { scope: "col" }, head)),
            ),
        ),
        h(
            "tbody",
            {},
            cookies.map((cookie) =>
                h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, cookie.name),
                    h("td", { class: isMasked(cookie.value) ? "masked" : null }, cookie.value),
                    set
                        ? h(
                            "td",
                            {},
                            cookie.attributes.map(([name, value]) =>
                                h("span", { class: "tag" }, value ? `${name}=${value}` : name)
                            ),
                        )
                        : null,
                )
            ),
        ),
    );
}

/**
 * The parts of a request or response.
 * @param {Detail} detail @param {"request" | "response"} side @returns {HTMLElement}
 */
export function messageView(detail, side) {
    const message = detail.record[side];
    if (!message) return h("div", { class: "message" }, h("p", { class: "note" }, absent(detail)));
    const target = plain(message.target) || plain(message.url);
    const line = side === "request"
        ? `${message.method ?? detail.row.method} ${target} ${message.version ?? ""}`
        : `${message.version ?? ""} ${message.status ?? ""} ${message.reason ?? ""}`.trim();
    const asked = side === "request" ? pairs(query(target)) : [];
    const cookies = side === "request" ? sentCookies(message) : setCookies(message);
    const trailers = message.trailers ?? [];
    const type = header(message, "content-type");
    const body = new TlBody();
    body.set(detail.row.id, side, message.body);
    const bytes = message.body?.size ?? (side === "request" ? detail.row.up : detail.row.down);
    const has = Boolean(message.body || bytes);
    const bodyPart = has
        ? section(
            "Body",
            [type, size(bytes)].filter((part) => part && part !== "-").join(" · "),
            body,
        )
        : null;
    if (bodyPart) {
        const load = () => {
            if (bodyPart.open && bodyPart.isConnected) body.load();
        };
        bodyPart.addEventListener("toggle", load);
        queueMicrotask(load);
    }
    return h(
        "div",
        { class: "message" },
        h("p", { class: "line" }, line),
        (message.interim ?? []).map((interim) =>
            h("p", { class: "note" }, `First came ${interim.status} ${interim.reason ?? ""}`)
        ),
        asked.length ? section("Query", count(asked.length), pairTable(asked)) : null,
        side === "response" ? bodyPart : null,
        section("Headers", count(message.headers?.length ?? 0), headerView(side, message, line)),
        cookies.length ? section("Cookies", count(cookies.length), cookieTable(cookies)) : null,
        side === "request" ? bodyPart : null,
        has ? null : h("p", { class: "soft" }, "No body."),
        trailers.length
            ? section(
                "Trailers",
                count(trailers.length),
                pairTable(trailers.map(([name, value]) => [plain(name), plain(value)])),
            )
            : null,
    );
}

/** @param {Detail} detail */
function absent(detail) {
    const { error, state } = detail.record;
    const why = error?.message || error?.code || "";
    if (state === "failed") {
        return `There is no response: the exchange failed${why ? `: ${why}` : ""}.`;
    }
    if (state === "cancelled") {
        return `There is no response: the exchange was cancelled${why ? `: ${why}` : ""}.`;
    }
    return "There is no response yet.";
}

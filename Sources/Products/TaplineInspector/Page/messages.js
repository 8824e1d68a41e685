// SPDX-License-Identifier: MIT
// @ts-check
// Reads heads: names and values, cookies, queries, forms.

/** @typedef {import("./types").Message} Message @typedef {import("./types").Text} Text */

/**
 * A name or value; one that is not UTF-8 is shown with its odd bytes replaced.
 * @param {Text | undefined | null} text
 */
export function plain(text) {
    if (text === undefined || text === null) return "";
    if (typeof text === "string") return text;
    return new TextDecoder().decode(fromBase64(text.base64));
}

/** @param {string} text */
export function fromBase64(text) {
    try {
        const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
        return Uint8Array.from(binary, (character) => character.charCodeAt(0));
    } catch {
        return new Uint8Array(0);
    }
}

/** @param {Message | undefined} message @param {string} name */
export function header(message, name) {
    return plain(message?.headers?.find(([other]) => plain(other).toLowerCase() === name)?.[1]);
}

/**
 * Percent-decodes; what is malformed stays.
 * @param {string} text @param {boolean} plus
 */
export function decoded(text, plus = true) {
    const spaced = plus ? text.replace(/\+/g, " ") : text;
    try {
        return decodeURIComponent(spaced);
    } catch {
        return spaced;
    }
}

/**
 * The pairs of a query or a form, in their order.
 * @param {string} text @returns {[string, string][]}
 */
export function pairs(text) {
    if (!text) return [];
    return text.split("&").filter(Boolean).map((part) => {
        const at = part.indexOf("=");
        return at < 0
            ? [decoded(part), ""]
            : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
    });
}

/**
 * The query of a target.
 * @param {string} target
 */
export function query(target) {
    const at = target.indexOf("?");
    return at < 0 ? "" : target.slice(at + 1).split("#")[0] ?? "";
}

/** @typedef {{name: string, value: string, attributes: [string, string][]}} Cookie */

/**
 * Cookies of a request.
 * @param {Message} message @returns {Cookie[]}
 */
export function sentCookies(message) {
    return (message.headers ?? []).filter(([name]) => plain(name).toLowerCase() === "cookie")
        .flatMap(([, value]) => plain(value).split(/;\s*/)).filter(Boolean).map((part) => {
            const at = part.indexOf("=");
            return {
                name: at < 0 ? "" : part.slice(0, at),
                value: part.slice(at + 1),
                attributes: [],
            };
        });
}

/**
 * Cookies that a response sets, with their attributes.
 * @param {Message} message @returns {Cookie[]}
 */
export function setCookies(message) {
    return (message.headers ?? []).filter(([name]) => plain(name).toLowerCase() === "set-cookie")
        .map(([, value]) => {
            const [first = "", ...rest] = plain(value).split(";").map((part) => part.trim());
            const at = first.indexOf("=");
            return {
                name: at < 0 ? "" : first.slice(0, at),
                value: first.slice(at + 1),
                attributes: rest.filter(Boolean).map((part) => {
                    const place = part.indexOf("=");
                    return place < 0 ? [part, ""] : [part.slice(0, place), part.slice(place + 1)];
                }),
            };
        });
}

/**
 * The events of a stream of server-sent events.
 * @param {string} text
 * @returns {{id: string, type: string, data: string}[]}
 */
export function streamEvents(text) {
    return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").split(/\n{2,}/).flatMap((block) => {
        const event = { id: "", type: "message", data: "" };
        /** @type {string[]} */
        const data = [];
        for (const line of block.split("\n")) {
            const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
            if (field === "data") data.push(value);
            else if (field === "event") event.type = value;
            else if (field === "id") event.id = value;
        }
        return data.length ? [{ ...event, data: data.join("\n") }] : [];
    });
}

const GROUPS = [
    {
        name: "Content",
        test: /^(content-|transfer-encoding|accept-ranges|etag|last-modified|trailer$)/,
    },
    { name: "Caching", test: /^(cache-|expires|age$|pragma|vary|if-|date$)/ },
    { name: "Negotiation", test: /^(accept|te$|upgrade-insecure)/ },
    { name: "Credentials and cookies", test: /(authorization|cookie|authenticate|token|api-key)/ },
    {
        name: "Security",
        test:
            /^(strict-|x-frame|x-content-type|x-xss|referrer-policy|permissions-policy|cross-origin|access-control|origin$|sec-)/,
    },
    {
        name: "Connection",
        test:
            /^(host$|connection|keep-alive|proxy-|upgrade$|via$|forwarded|x-forwarded|alt-svc|user-agent|server$|referer$)/,
    },
];

/**
 * Header fields by what they are for; the order within a group stays.
 * @param {[Text, Text][]} headers @returns {{name: string, headers: [Text, Text][]}[]}
 */
export function grouped(headers) {
    const groups = [
        ...GROUPS.map(({ name }) => ({ name, headers: /** @type {[Text, Text][]} */ ([]) })),
        { name: "Other", headers: /** @type {[Text, Text][]} */ ([]) },
    ];
    for (const header of headers) {
        const name = plain(header[0]).toLowerCase();
        const at = GROUPS.findIndex(({ test }) => test.test(name));
        groups[at < 0 ? groups.length - 1 : at]?.headers.push(header);
    }
    return groups.filter((group) => group.headers.length);
}

/**
 * Whether a value is one that `redact` has put in.
 * @param {string} text
 */
export const isMasked = (text) => /\[redacted[^\]]*\]|%5Bredacted/i.test(text);

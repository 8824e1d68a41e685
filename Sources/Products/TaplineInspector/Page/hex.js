// SPDX-License-Identifier: MIT
// @ts-check

import { button, h } from "./dom.js";
import { count, size } from "./formats.js";

const LINE = 16;
const CHUNK = 4096;

/**
 * Offset, bytes and printable characters, 16 bytes a line.
 * @param {Uint8Array} bytes @param {number} [from]
 */
export function hexLines(bytes, from = 0, to = bytes.length) {
    const lines = [];
    for (let at = from; at < Math.min(to, bytes.length); at += LINE) {
        const part = bytes.subarray(at, Math.min(at + LINE, to));
        let hex = "";
        let text = "";
        part.forEach((byte, place) => {
            hex += byte.toString(16).padStart(2, "0") + (place === 7 ? "  " : " ");
            text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
        });
        lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(LINE * 3 + 1)} ${text}`);
    }
    return lines.join("\n");
}

/** @param {Uint8Array} bytes */
export function hexView(bytes) {
    const box = h("div", {});
    let shown = 0;
    const more = button("", () => add());
    const add = () => {
        box.insertBefore(
            h("pre", { class: "hex", tabindex: 0 }, hexLines(bytes, shown, shown + CHUNK)),
            more,
        );
        shown = Math.min(shown + CHUNK, bytes.length);
        more.textContent = `next ${size(Math.min(CHUNK, bytes.length - shown))} of ${
            count(bytes.length)
        } bytes`;
        more.hidden = shown >= bytes.length;
    };
    box.append(more);
    add();
    return box;
}

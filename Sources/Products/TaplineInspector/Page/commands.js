// SPDX-License-Identifier: MIT
// @ts-check
// One table of what can be done: it serves the keys, the menu, the palette and the sheet.

import { announce, copy } from "./dom.js";
import { app } from "./app.js";
import * as api from "./api.js";
import { annotate } from "./annotate.js";
import { EDITING } from "./commands-edit.js";
import { ofSelected } from "./formats.js";

/** @typedef {import("./page.js").Page} Page */
/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} name
 * @property {string[]} keys
 * @property {string} group
 * @property {(page: Page) => void} run
 * @property {boolean} [menu] whether the menu of a row has it
 * @property {boolean} [list] whether its keys belong to other parts of the page, too
 * @property {(page: Page) => boolean} [can]
 * @property {() => string} [why] why it cannot be done here
 */

const MARKS = ["star", "red", "orange", "yellow", "green", "blue", "purple", "gray", "none"];

/** @param {Page} page */
const hasRow = (page) => Boolean(page.row);
/** @param {Page} page */
const canWrite = (page) => hasRow(page) && (app.info?.can.annotate ?? false);

/** @param {string} screen @param {string} name @param {string} key @returns {Command} */
const screen = (screen, name, key) => ({
    id: `screen-${screen}`,
    name,
    keys: [`g ${key}`],
    group: "Screens",
    run: () => app.go({ screen }),
});

/**
 * @param {string} id
 * @param {string} name
 * @param {string[]} keys
 * @param {(page: Page) => void} run
 * @returns {Command}
 */
const move = (id, name, keys, run) => ({
    id,
    name,
    keys,
    group: "Move",
    run,
    list: keys.some((key) => key.length > 1),
});

/** @param {import("./types").Row} row */
export const urlOf = (row) => {
    const port = row.port && row.port !== (row.scheme === "https" ? 443 : 80) ? `:${row.port}` : "";
    return `${row.scheme ?? "http"}://${row.host ?? ""}${port}${row.path ?? ""}`;
};

/** @param {Page} page @param {string} format */
export async function copyExport(page, format) {
    if (!page.row) return;
    try {
        const { text, losses } = await api.exported(page.row.id, format);
        await copy(
            text,
            losses ? `${format} copied; it cannot hold ${losses} values` : `${format} copied`,
        );
    } catch (error) {
        announce(error instanceof Error ? error.message : String(error));
    }
}

/** @param {Page} page @param {"request" | "response"} side */
async function copyBody(page, side) {
    if (!page.row) return;
    try {
        const { bytes } = await api.body(page.row.id, side);
        await copy(new TextDecoder().decode(bytes), `body of the ${side} copied`);
    } catch (error) {
        announce(error instanceof Error ? error.message : String(error));
    }
}

/** @param {Page} page @param {string} mark */
async function setMark(page, mark) {
    const { selectedIds: rows, selectedCount: selected } = page;
    for (const id of rows) {
        const path = `${api.exchangePath(id)}/mark`;
        const done = mark === "none" ? "mark removed" : `marked: ${mark}`;
        if (!await annotate(path, { mark }, done)) return;
    }
    page.source.changed(rows);
    if (selected > rows.length) announce(`marked ${ofSelected(rows.length, selected)}`);
    app.emit("reload");
}

/** @type {Command[]} */
export const COMMANDS = [
    move("down", "Next row", ["j", "ArrowDown"], (page) => page.move(1)),
    move("up", "Previous row", ["k", "ArrowUp"], (page) => page.move(-1)),
    move(
        "extend-down",
        "Extend the selection down",
        ["J", "Shift-ArrowDown"],
        (page) => page.move(1, true),
    ),
    move(
        "extend-up",
        "Extend the selection up",
        ["K", "Shift-ArrowUp"],
        (page) => page.move(-1, true),
    ),
    move("page-down", "Page down", ["PageDown"], (page) => page.move(page.list.pageRows)),
    move("page-up", "Page up", ["PageUp"], (page) => page.move(-page.list.pageRows)),
    move("first", "Newest row", ["Home"], (page) => page.list.select(0)),
    move("last", "Oldest row", ["End"], (page) => page.list.select(page.list.last)),
    {
        id: "open",
        name: "Open",
        keys: ["Enter"],
        group: "Move",
        run: (page) => page.open(),
        can: hasRow,
        list: true,
    },
    {
        id: "close",
        name: "Close, then clear the selection",
        keys: ["Escape"],
        group: "Move",
        run: (page) => page.close(),
    },
    {
        id: "previous",
        name: "Previous of this route",
        keys: ["["],
        group: "Move",
        menu: true,
        can: hasRow,
        run: (page) => page.neighbour("previous"),
    },
    {
        id: "next",
        name: "Next of this route",
        keys: ["]"],
        group: "Move",
        menu: true,
        can: hasRow,
        run: (page) => page.neighbour("next"),
    },
    {
        id: "newest",
        name: "Jump to the newest, and follow",
        keys: ["."],
        group: "Move",
        run: (page) => page.follow.newest(),
    },
    {
        id: "pause",
        name: "Pause or follow the list",
        keys: ["p"],
        group: "Move",
        run: (page) => page.follow.toggle(),
    },

    {
        id: "filter",
        name: "Filter",
        keys: ["/"],
        group: "Search",
        run: (page) => {
            page.search.input.focus();
            page.search.input.select();
        },
    },
    {
        id: "clear",
        name: "Clear the filter",
        keys: ["x"],
        group: "Search",
        run: () => app.go({ filter: "", from: null, to: null }),
    },
    {
        id: "save-filter",
        name: "Save this filter",
        keys: ["s"],
        group: "Search",
        run: (page) => page.saveFilter(),
        can: () => Boolean(app.state.filter),
    },
    {
        id: "cancel",
        name: "Stop the running query",
        keys: [],
        group: "Search",
        run: (page) => {
            page.source.cancel();
        },
    },
    {
        id: "only-host",
        name: "Only this host",
        keys: ["h"],
        group: "Search",
        menu: true,
        can: hasRow,
        run: (page) => page.narrow("host", page.row?.host),
    },
    {
        id: "only-path",
        name: "Only this path",
        keys: [],
        group: "Search",
        menu: true,
        can: hasRow,
        run: (page) => page.narrow("path", page.row?.path?.split("?")[0]),
    },

    {
        id: "copy",
        name: "Copy …",
        keys: [],
        group: "Copy and export",
        can: hasRow,
        run: (page) => page.copyMenu(),
    },
    {
        id: "copy-curl",
        name: "Copy as curl",
        keys: ["c c"],
        group: "Copy and export",
        menu: true,
        can: hasRow,
        run: (page) => {
            copyExport(page, "curl");
        },
    },
    {
        id: "copy-url",
        name: "Copy URL",
        keys: ["c u"],
        group: "Copy and export",
        menu: true,
        can: hasRow,
        run: (page) => {
            if (page.row) copy(urlOf(page.row), "URL copied");
        },
    },
    {
        id: "copy-body",
        name: "Copy body of the response",
        keys: ["c b"],
        group: "Copy and export",
        menu: true,
        can: hasRow,
        run: (page) => {
            copyBody(page, "response");
        },
    },
    {
        id: "copy-request",
        name: "Copy body of the request",
        keys: ["c r"],
        group: "Copy and export",
        can: hasRow,
        run: (page) => {
            copyBody(page, "request");
        },
    },
    {
        id: "copy-link",
        name: "Copy a link to this view",
        keys: ["c l"],
        group: "Copy and export",
        run: () => {
            copy(location.href, "link copied");
        },
    },
    {
        id: "export",
        name: "Export …",
        keys: ["e"],
        group: "Copy and export",
        menu: true,
        run: (page) => page.exportDialog(),
    },

    {
        id: "mark",
        name: "Mark …",
        keys: ["m"],
        group: "Annotate",
        menu: true,
        can: canWrite,
        run: (page) =>
            page.choose(
                "Mark",
                MARKS.map((mark) => ({
                    name: mark,
                    run: () => setMark(page, mark),
                })),
            ),
    },
    {
        id: "note",
        name: "Note",
        keys: ["n"],
        group: "Annotate",
        menu: true,
        can: canWrite,
        run: (page) => page.note(),
    },
    {
        id: "compare",
        name: "Compare: mark the first, then the second",
        keys: ["d"],
        group: "Annotate",
        menu: true,
        can: hasRow,
        run: (page) => page.compare(),
    },

    screen("list", "List", "l"),
    screen("apis", "APIs", "a"),
    screen("timeline", "Timeline", "t"),
    screen("differs", "What differs", "d"),
    screen("summary", "Summary", "s"),
    ...EDITING,
    ...["Response", "Request", "Both", "Timing", "Messages", "Related", "Changes", "Explain"].map((
        name,
        at,
    ) => /** @type {Command} */ ({
        id: `tab-${name}`,
        name: `Tab ${name}`,
        keys: [String(at + 1)],
        group: "Detail",
        run: (page) => page.detail.showTab(at + 1),
        can: () => Boolean(app.state.id),
    })),

    {
        id: "columns",
        name: "Columns …",
        keys: ["o"],
        group: "Page",
        run: (page) => page.columnsDialog(),
    },
    {
        id: "utc",
        name: "Times in UTC or local",
        keys: ["u"],
        group: "Page",
        run: () => {
            app.setUTC(!app.utc);
            announce(app.utc ? "times in UTC" : "local times");
        },
    },
    {
        id: "side",
        name: "Detail below or beside the list",
        keys: ["b"],
        group: "Page",
        run: () => app.toggleSide(),
    },
    {
        id: "next-pane",
        name: "Next pane",
        keys: ["F6"],
        group: "Page",
        run: (page) => page.nextPane(),
    },
    {
        id: "palette",
        name: "Everything by name",
        keys: ["Ctrl-k"],
        group: "Page",
        run: (page) => page.palette(),
    },
    { id: "sheet", name: "Keys", keys: ["?"], group: "Page", run: (page) => page.sheet() },
];

/**
 * `⌘` is what `Ctrl` is elsewhere.
 * @param {string} key
 */
export function keyName(key) {
    const control = /Mac/.test(navigator.platform) ? "⌘" : "Ctrl ";
    return key.replace("ArrowDown", "↓").replace("ArrowUp", "↑").replace("Escape", "Esc")
        .replace("PageDown", "PgDn").replace("PageUp", "PgUp").replace(/^(Shift|Alt)-/, "$1 ")
        .replace(/^Ctrl-(.)/, (_, name) => control + name.toUpperCase());
}

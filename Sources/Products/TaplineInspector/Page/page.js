// SPDX-License-Identifier: MIT
// @ts-check
// What the commands act on: the list, the detail, and what is selected.

import * as api from "./api.js";
import { app } from "./app.js";
import { COLUMNS } from "./columns.js";
import { COMMANDS, copyExport, keyName } from "./commands.js";
import { annotate } from "./annotate.js";
import { ask, commandChoices, menu, palette, sheet } from "./dialogs.js";
import { announce, debounce, focusOnceDrawn, h } from "./dom.js";
import { equals, joined } from "./filters.js";
import { counted, ofSelected } from "./formats.js";
import { recent } from "./tl-search.js";

/** @typedef {import("./dialogs.js").Choice} Choice */

export class Page {
    #follow = debounce(30, () => {
        const row = this.list.currentRow;
        if (row && app.state.id && row.id !== app.state.id) app.go({ id: row.id }, true);
    });

    /**
     * @param {import("./list-source.js").ListSource} source
     * @param {import("./tl-list.js").TlList} list
     * @param {import("./tl-detail.js").TlDetail} detail
     * @param {import("./tl-search.js").TlSearch} search
     * @param {import("./follow.js").Follow} follow
     */
    constructor(source, list, detail, search, follow) {
        this.source = source;
        this.list = list;
        this.detail = detail;
        this.search = search;
        this.follow = follow;
        list.addEventListener("current", () => this.#follow());
        list.addEventListener(
            "open",
            (event) => app.go({ id: /** @type {CustomEvent} */ (event).detail.id }),
        );
        list.addEventListener(
            "menu",
            (event) => this.rowMenu(/** @type {CustomEvent} */ (event).detail),
        );
        app.on("command", (id) => this.run(id));
    }

    /** The row of the list, or the one that is open. */
    get row() {
        return this.list.currentRow ?? this.detail.detail?.row;
    }

    /** At most 200 ids of loaded rows. */
    get selectedIds() {
        const range = this.list.selection;
        if (!range) return this.row ? [this.row.id] : [];
        const ids = [];
        for (let at = range[0]; at <= Math.min(range[1], range[0] + 199); at += 1) {
            const row = this.source.row(at);
            if (row) ids.push(row.id);
        }
        return ids;
    }

    /** How many exchanges are selected, also beyond those of `selectedIds`. */
    get selectedCount() {
        const [from, to] = this.list.selection ?? [0, -1];
        return Math.max(to - from + 1, this.selectedIds.length);
    }

    /** @param {string} id */
    run(id) {
        const command = COMMANDS.find((one) => one.id === id);
        if (command && (!command.can || command.can(this))) command.run(this);
    }

    /** @param {number} step @param {boolean} [extend] */
    move(step, extend = false) {
        if (app.state.screen !== "list") {
            app.emit("step", step);
            return;
        }
        this.list.select(this.list.current < 0 ? 0 : this.list.current + step, extend);
    }

    open() {
        if (app.state.id && this.row?.id === app.state.id) this.detail.focusPanel();
        else if (this.row) app.go({ id: this.row.id });
    }

    close() {
        if (app.state.screen !== "list") {
            app.go({ screen: "list" });
            return;
        }
        if (app.state.id) app.go({ id: "" });
        else this.list.moveSelection(-1);
        this.list.grid.focus({ preventScroll: true });
    }

    /** @param {"previous" | "next"} which */
    async neighbour(which) {
        if (!this.row) return;
        const detail = this.detail.detail?.row.id === this.row.id
            ? this.detail.detail
            : /** @type {import("./types").Detail} */ (await api.get(
                api.exchangePath(this.row.id),
            ));
        const id = detail[which];
        if (id) await this.reveal(id);
        else {announce(
                which === "previous"
                    ? "this is the first of its route"
                    : "this is the last of its route",
            );}
    }

    /**
     * Opens an exchange, and shows it in the list if it is there.
     * @param {string} id
     */
    async reveal(id) {
        app.go({ id });
        await this.locate(id);
    }

    /** @param {string} id */
    async locate(id) {
        const loaded = this.source.loadedIndex(id);
        if (loaded >= 0) {
            this.list.select(loaded, false, true);
            return;
        }
        try {
            const { index } = /** @type {{index: number}} */ (await api.get("locate", {
                id,
                ...this.source.query,
                head: this.source.head,
            }));
            this.list.select(index, false, true);
        } catch {
            this.list.moveSelection(-1);
        }
    }

    /** @param {string} field @param {string | undefined} value */
    narrow(field, value) {
        if (value === undefined) return;
        const { filter } = app.state;
        app.go({ filter: joined(filter, equals(field, value), app.meaning(filter)) });
    }

    note() {
        const id = this.row?.id ?? app.state.id;
        app.go({ tab: "related", id });
        focusOnceDrawn(`#note[data-exchange="${id}"]`);
    }

    compare() {
        const ids = this.selectedIds;
        if (ids.length === 2) app.go({ screen: "compare", a: ids[1], b: ids[0] });
        else if (app.first && app.first !== this.row?.id) {
            app.go({ screen: "compare", a: app.first, b: this.row?.id ?? "" });
            app.first = "";
        } else {
            app.first = this.row?.id ?? "";
            announce("marked as the first; choose another, and press d");
        }
    }

    saveFilter() {
        ask(`Save the filter ${app.state.filter}`, "Name, then used as @name", async (name) => {
            const filter = app.meaning(app.state.filter) ?? app.state.filter;
            if (await annotate("saved", { name, filter }, `saved as @${name}`)) app.emit("saved");
        });
    }

    /** @param {string} name */
    async forgetFilter(name) {
        if (await annotate("saved/remove", { name }, `removed @${name}`)) app.emit("saved");
    }

    /** @param {string} title @param {Choice[]} choices */
    choose(title, choices) {
        const place = document.querySelector(".row.current, tl-detail .acts")
            ?.getBoundingClientRect();
        menu(title, choices, (place?.left ?? 100) + 40, place?.bottom ?? 100);
    }

    copyMenu() {
        const formats = app.info?.exports ?? [];
        this.choose("Copy", [
            ...COMMANDS.filter((command) => /^copy-(url|body|request|link)$/.test(command.id)).map((
                command,
            ) => ({
                name: command.name,
                key: command.keys.map(keyName).join(" "),
                run: () => command.run(this),
            })),
            ...formats.map((format) => ({
                name: `As ${format}`,
                run: () => {
                    copyExport(this, format);
                },
            })),
        ]);
    }

    /** @param {{x: number, y: number}} place */
    rowMenu({ x, y }) {
        menu(
            "Exchange",
            COMMANDS.filter((command) => command.menu && (!command.can || command.can(this))).map((
                command,
            ) => ({
                name: command.name,
                key: command.keys.map(keyName).join(" "),
                why: command.why?.(),
                run: () => command.run(this),
            })),
            x,
            y,
        );
    }

    exportDialog() {
        const formats = app.info?.exports ?? [];
        const ids = this.selectedIds;
        const selected = ids.length > 1
            ? `id in [${ids.map((id) => JSON.stringify(id)).join(", ")}]`
            : "";
        const filter = selected || app.filter;
        const what = selected
            ? ofSelected(ids.length, this.selectedCount)
            : counted(this.source.total, "exchange");
        this.choose(
            `Export ${what}`,
            formats.map((format) => ({
                name: `${what} as ${format}`,
                run: () => {
                    h("a", { href: api.link("export", { filter, to: format }), download: "" })
                        .click();
                },
            })),
        );
    }

    async columnsDialog() {
        (await import("./columns-dialog.js")).columnsDialog();
    }

    palette() {
        const filters = recent().slice(0, 10).map((filter) => ({
            name: filter,
            detail: "Filter used before",
            run: () => app.go({ filter, screen: "list" }),
        }));
        const sorts = COLUMNS.filter((column) => column.sort).map((column) => ({
            name: `Sort by ${column.name.toLowerCase()}`,
            detail: "Sort",
            run: () =>
                app.go({
                    sort: column.sort === "started" ? "" : `-${column.sort}`,
                    screen: "list",
                }),
        }));
        const saved = app.saved.flatMap(({ name, filter }) => [
            {
                name: `@${name}`,
                detail: filter,
                run: () => app.go({ filter: `@${name}`, screen: "list" }),
            },
            {
                name: `Remove the saved filter @${name}`,
                detail: "Search",
                run: () => this.forgetFilter(name),
            },
        ]);
        palette(
            "Everything by name",
            [...commandChoices(this), ...sorts, ...saved, ...filters],
            "What to do",
        );
    }

    sheet() {
        sheet();
    }

    nextPane() {
        const panes = /** @type {HTMLElement[]} */ ([
            this.search.input,
            this.list.grid,
            document.getElementById("panel"),
            document.getElementById("screen"),
        ])
            .filter((pane) => pane?.offsetParent);
        const at = panes.findIndex((pane) => pane.contains(document.activeElement));
        panes[(at + 1) % panes.length]?.focus();
    }
}

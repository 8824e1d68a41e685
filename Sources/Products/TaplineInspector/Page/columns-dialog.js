// SPDX-License-Identifier: MIT
// @ts-check
// Chooses the columns of the list and their order.

import { app } from "./app.js";
import { chosen, COLUMNS, choose, moved } from "./columns.js";
import { dialog } from "./dialogs.js";
import { announce, button, h, refresh } from "./dom.js";

export function columnsDialog() {
    const list = h("ol", { class: "columns", "aria-label": "Shown, from left to right" });
    const others = h("div", { class: "checks" });
    const names = () => chosen(app.state.columns).map(({ id }) => id);

    const move = (/** @type {string} */ id, /** @type {number} */ step) => {
        const all = names();
        const next = moved(all, id, all.indexOf(id) + step);
        choose(next);
        draw();
        announce(`${id} is number ${next.indexOf(id) + 1} of ${next.length}`);
    };
    const check = (
        /** @type {import("./columns.js").Column} */ column,
        /** @type {boolean} */ shown,
    ) =>
        h(
            "label",
            {},
            h("input", {
                type: "checkbox",
                "data-key": `check-${column.id}`,
                checked: shown,
                disabled: column.id === "path",
                onchange: () => {
                    const all = names();
                    choose(shown ? all.filter((id) => id !== column.id) : [...all, column.id]);
                    draw();
                },
            }),
            ` ${column.name}`,
        );
    const draw = () => {
        const shown = chosen(app.state.columns);
        refresh(
            list,
            shown.map((column, at) =>
                h(
                    "li",
                    {},
                    check(column, true),
                    h("span", { class: "gap" }),
                    button("←", () => move(column.id, -1), {
                        "aria-label": `move ${column.name} to the left`,
                        "data-key": `left-${column.id}`,
                        disabled: at === 0,
                    }),
                    button("→", () => move(column.id, 1), {
                        "aria-label": `move ${column.name} to the right`,
                        "data-key": `right-${column.id}`,
                        disabled: at === shown.length - 1,
                    }),
                )
            ),
        );
        const hidden = COLUMNS.filter((column) => !shown.includes(column));
        refresh(others, hidden.map((column) => check(column, false)));
        others.hidden = hidden.length === 0;
    };
    const box = dialog(
        "Columns",
        h(
            "header",
            {},
            h("h2", {}, "Columns"),
            button("As at first", () => {
                choose([]);
                draw();
            }),
            button("Close", () => box.close()),
        ),
        h("p", { class: "soft" }, "Heads of the list can be dragged, too."),
        list,
        others,
    );
    draw();
}

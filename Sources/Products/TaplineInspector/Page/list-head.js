// SPDX-License-Identifier: MIT
// @ts-check
// The head of the list: sorts, and changes widths.

import { app } from "./app.js";
import { setWidth, widthOf } from "./columns.js";
import { h } from "./dom.js";

/**
 * The next order of a column: ascending, descending, then newest first.
 * @param {string} sort @param {string} field
 */
export function nextSort(sort, field) {
    if (sort === `-${field}`) return field;
    if (sort === field) return "";
    return `-${field}`;
}

/** @param {import("./columns.js").Column} column */
function order(column) {
    if (!column.sort) return null;
    if (app.state.sort === column.sort) return "ascending";
    if (app.state.sort === `-${column.sort}`) return "descending";
    return column.sort === "started" && !app.state.sort ? "descending" : "none";
}

/**
 * @param {HTMLElement} row
 * @param {import("./columns.js").Column[]} columns
 * @param {{layout(): void}} list
 */
export function heads(row, columns, list) {
    row.textContent = "";
    columns.forEach((column, place) => {
        const sorted = order(column);
        const arrow = sorted === "ascending" ? " ↑" : sorted === "descending" ? " ↓" : "";
        const label = column.id === "mark"
            ? h("span", { class: "hidden" }, column.name)
            : column.name;
        const cell = h(
            "div",
            {
                role: "columnheader",
                class: `cell ${column.id}`,
                "aria-sort": sorted,
                "aria-colindex": place + 1,
                "aria-label": column.name,
            },
            column.sort
                ? h(
                    "button",
                    {
                        type: "button",
                        tabindex: -1,
                        title: `sort by ${column.name.toLowerCase()}`,
                        onclick: () => app.go({ sort: nextSort(app.state.sort, column.sort) }),
                    },
                    label,
                    h("span", { "aria-hidden": "true" }, arrow),
                )
                : label,
        );
        if (column.width) cell.append(handle(column, list));
        row.append(cell);
    });
}

/** @param {import("./columns.js").Column} column @param {{layout(): void}} list */
function handle(column, list) {
    const edge = h("span", { class: "edge", "aria-hidden": "true" });
    edge.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        edge.setPointerCapture(event.pointerId);
        const start = event.clientX;
        const width = widthOf(column);
        // Columns left of the path grow to the right, those right of it to the left.
        const left = Boolean(
            edge.closest(".row")?.querySelector(".path")?.compareDocumentPosition(edge) &&
                edge.getBoundingClientRect().left >
                    (edge.closest(".row")?.querySelector(".path")?.getBoundingClientRect().left ??
                        0),
        );
        const move = (/** @type {PointerEvent} */ now) => {
            setWidth(column.id, width + (left ? start - now.clientX : now.clientX - start));
            edge.closest(".grid")?.setAttribute("data-sizing", "");
        };
        edge.addEventListener("pointermove", move);
        edge.addEventListener("pointerup", () => {
            edge.removeEventListener("pointermove", move);
            edge.closest(".grid")?.removeAttribute("data-sizing");
            list.layout();
        }, { once: true });
    });
    edge.addEventListener("dblclick", () => {
        setWidth(column.id, column.width);
        list.layout();
    });
    return edge;
}

// SPDX-License-Identifier: MIT
// @ts-check
// Which values separate chosen exchanges, such as slow or failing ones, from the rest.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, h, replace, sideways } from "./dom.js";
import { equals, joined, QUICK } from "./filters.js";
import { count, counted, share } from "./formats.js";
import { failureNotice } from "./states.js";

/** @typedef {import("./types").Separation} Separation */

/** @param {number} value @param {string} className */
function bar(value, className) {
    const inner = h("i", { class: className });
    inner.style.width = `${value * 100}%`;
    return h("span", { class: "share-bar" }, inner, h("span", {}, value ? share(value) : "none"));
}

/** @param {Separation} one @param {string} chosen */
function row(one, chosen) {
    const filter = joined(chosen, equals(one.field, one.value));
    return h(
        "tr",
        {},
        h("td", { class: "soft" }, one.field),
        h(
            "th",
            { scope: "row" },
            button(
                one.value,
                () =>
                    app.go({
                        screen: "list",
                        filter: app.filter ? joined(app.filter, filter) : filter,
                    }),
                { title: "show the chosen ones with this value" },
            ),
        ),
        h("td", {}, bar(one.share_chosen, "s5"), h("small", { class: "soft" }, count(one.chosen))),
        h("td", {}, bar(one.share_rest, "rest"), h("small", { class: "soft" }, count(one.rest))),
    );
}

export function differsScreen() {
    const body = h("tbody", {});
    const note = h("p", { class: "soft" });
    const box = h("input", {
        type: "search",
        "aria-label": "Chosen exchanges",
        placeholder: "A filter: the exchanges in question",
    });
    const choices = h("div", { class: "choice", role: "group", "aria-label": "Usual questions" });
    const load = async (/** @type {string} */ chosen) => {
        app.go({ chosen }, true);
        box.value = chosen;
        for (const choice of choices.children) {
            choice.setAttribute(
                "aria-pressed",
                String(choice.getAttribute("data-filter") === chosen),
            );
        }
        replace(note, "Comparing…");
        try {
            const answer =
                /** @type {{chosen: number, rest: number, values: Separation[]}} */ (await api.get(
                    "separates",
                    { filter: app.filter, chosen },
                ));
            replace(
                note,
                `${counted(answer.chosen, "chosen exchange")}, ${count(answer.rest)} others.` +
                    (answer.values.length
                        ? " The more the two shares differ, the higher a value stands."
                        : " No value is more frequent among the chosen ones."),
            );
            replace(body, answer.values.map((one) => row(one, chosen)));
        } catch (error) {
            replace(body);
            replace(note, failureNotice(error));
        }
    };
    replace(
        choices,
        QUICK.slice(0, 3).map(({ name, filter }) =>
            button(name, () => load(filter), { "data-filter": filter })
        ),
    );
    box.addEventListener("keydown", (event) => {
        if (event.key === "Enter") load(box.value);
    });
    load(app.state.chosen || QUICK[0]?.filter || "");
    return h(
        "div",
        { class: "page" },
        h("header", {}, h("h2", {}, "What differs"), choices, box),
        h("p", {}, "What do the chosen exchanges have in common that the others do not?"),
        note,
        sideways(
            "Values",
            h(
                "table",
                { class: "sums differs" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["Field", "Value", "Share of the chosen", "Share of the rest"].map((head) =>
                            h("th", { scope: "col" }, head)
                        ),
                    ),
                ),
                body,
            ),
        ),
    );
}

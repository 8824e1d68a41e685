// SPDX-License-Identifier: MIT
// @ts-check
// The palette, menus, the sheet of keys, and small dialogs.

import { COMMANDS, keyName } from "./commands.js";
import { button, h, replace } from "./dom.js";

/**
 * @typedef {{name: string, key?: string, detail?: string, why?: string, run: () => void}} Choice
 */

/**
 * Opens a dialog that closes by Escape, its button, or a click beside it.
 * @param {string} title @param {...import("./dom.js").Child} content
 */
export function dialog(title, ...content) {
    const box = h("dialog", { "aria-label": title, closedby: "any" }, ...content);
    const before = document.activeElement;
    box.addEventListener("click", (event) => {
        if (event.target === box) box.close();
    });
    box.addEventListener("close", () => {
        box.remove();
        if (before instanceof HTMLElement && before.isConnected) before.focus();
    });
    document.body.append(box);
    box.showModal();
    return box;
}

/**
 * A list of choices with a box that narrows it.
 * @param {string} title @param {Choice[]} choices @param {string} placeholder
 */
export function palette(title, choices, placeholder) {
    let shown = choices;
    let at = 0;
    const list = h("ul", { role: "listbox", id: "choices", "aria-label": title });
    const box = h("input", {
        role: "combobox",
        "aria-expanded": "true",
        "aria-controls": "choices",
        "aria-label": title,
        placeholder,
        autocomplete: "off",
        spellcheck: "false",
        autofocus: true,
    });
    const run = (/** @type {Choice | undefined} */ choice) => {
        if (!choice) return;
        opened.close();
        choice.run();
    };
    const draw = () => {
        replace(
            list,
            shown.map((choice, place) =>
                h(
                    "li",
                    {
                        role: "option",
                        id: `choice-${place}`,
                        "aria-selected": String(place === at),
                        onclick: () => run(choice),
                    },
                    h("span", {}, choice.name),
                    choice.detail ? h("span", { class: "soft" }, choice.detail) : null,
                    choice.key ? h("kbd", {}, choice.key) : null,
                )
            ),
        );
        if (shown.length) box.setAttribute("aria-activedescendant", `choice-${at}`);
        else box.removeAttribute("aria-activedescendant");
        list.children[at]?.scrollIntoView({ block: "nearest" });
    };
    box.addEventListener("input", () => {
        const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
        shown = choices.filter(({ name, detail }) =>
            words.every((word) => `${name} ${detail ?? ""}`.toLowerCase().includes(word))
        );
        at = 0;
        draw();
    });
    box.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown") at = Math.min(shown.length - 1, at + 1);
        else if (event.key === "ArrowUp") at = Math.max(0, at - 1);
        else if (event.key === "Enter") {
            event.preventDefault();
            run(shown[at]);
            return;
        } else return;
        event.preventDefault();
        draw();
    });
    const opened = dialog(title, box, list);
    opened.classList.add("palette");
    draw();
    return opened;
}

/** @param {import("./page.js").Page} page @returns {Choice[]} */
export function commandChoices(page) {
    // Movements have keys that everybody knows: they come last.
    const all = [
        ...COMMANDS.filter(({ group }) => group !== "Move"),
        ...COMMANDS.filter(({ group }) => group === "Move"),
    ];
    return all.filter((command) => !command.can || command.can(page)).map((command) => ({
        name: command.name,
        detail: command.why?.() || command.group,
        key: command.keys.map(keyName).join(" or "),
        run: () => command.run(page),
    }));
}

/**
 * A menu at a place.
 * @param {string} title @param {Choice[]} choices @param {number} x @param {number} y
 */
export function menu(title, choices, x, y) {
    const items = choices.map((choice) =>
        h(
            "button",
            {
                type: "button",
                role: "menuitem",
                tabindex: -1,
                "aria-disabled": choice.why ? "true" : null,
                onclick: () => {
                    box.close();
                    choice.run();
                },
            },
            h("span", {}, choice.name, choice.why ? h("small", {}, choice.why) : null),
            choice.key ? h("kbd", {}, choice.key) : null,
        )
    );
    const list = h("div", { role: "menu", "aria-label": title }, items);
    const box = dialog(title, list);
    box.classList.add("menu");
    box.style.left = `${Math.max(4, Math.min(x, innerWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${Math.max(4, Math.min(y, innerHeight - box.offsetHeight - 8))}px`;
    items[0]?.focus();
    let typed = "";
    let last = 0;
    list.addEventListener("keydown", (event) => {
        const at = items.indexOf(/** @type {any} */ (document.activeElement));
        const next =
            { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
        if (next === undefined) {
            if (event.key.length > 1 || event.key === " ") return;
            typed = event.timeStamp - last > 700 ? event.key : typed + event.key;
            last = event.timeStamp;
            items.find((item) => item.textContent?.toLowerCase().startsWith(typed.toLowerCase()))
                ?.focus();
            return;
        }
        event.preventDefault();
        items[(next + items.length) % items.length]?.focus();
    });
    return box;
}

/** The sheet of keys. */
export function sheet() {
    const groups = [...new Set(COMMANDS.map(({ group }) => group))];
    const box = dialog(
        "Keys",
        h("header", {}, h("h2", {}, "Keys"), button("Close", () => box.close())),
        h(
            "div",
            { class: "sheet" },
            groups.map((group) =>
                h(
                    "section",
                    {},
                    h("h3", {}, group),
                    h(
                        "dl",
                        {},
                        COMMANDS
                            .filter((command) => command.group === group && command.keys.length)
                            .map((command) =>
                                h(
                                    "div",
                                    {},
                                    h(
                                        "dt",
                                        {},
                                        command.keys.map((key) => h("kbd", {}, keyName(key))),
                                    ),
                                    h("dd", {}, command.name),
                                )
                            ),
                    ),
                )
            ),
        ),
    );
    box.classList.add("wide");
}

/**
 * Asks for one line.
 * @param {string} title @param {string} label @param {(text: string) => void} done
 */
export function ask(title, label, done) {
    const input = h("input", { "aria-label": label, placeholder: label, autofocus: true });
    const form = h(
        "form",
        { method: "dialog" },
        h("h2", {}, title),
        input,
        h(
            "div",
            { class: "actions" },
            h("button", { type: "submit" }, "Save"),
            button("Cancel", () => box.close()),
        ),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!input.value.trim()) return;
        box.close();
        done(input.value.trim());
    });
    const box = dialog(title, form);
}

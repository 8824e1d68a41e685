// SPDX-License-Identifier: MIT
// @ts-check
// The screens beside the list.

import { pausedScreen } from "./paused-screen.js";
import { rulesScreen } from "./rules-screen.js";
import { apisScreen } from "./tl-apis.js";
import { compareScreen } from "./tl-compare.js";
import { differsScreen } from "./tl-differs.js";
import { timelineScreen } from "./tl-timeline.js";

/** @type {Record<string, () => Node>} */
export const screens = {
    apis: apisScreen,
    timeline: timelineScreen,
    differs: differsScreen,
    compare: compareScreen,
    rules: rulesScreen,
    paused: pausedScreen,
};

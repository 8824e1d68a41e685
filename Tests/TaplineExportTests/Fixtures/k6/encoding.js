// SPDX-License-Identifier: MIT
// In the place of k6's own module.
export default { b64decode: (text) => Uint8Array.from(Buffer.from(text, "base64")).buffer };

// SPDX-License-Identifier: MIT
// In the place of k6's own module: collects the requests, and sends them as HTTP/1.1.
import net from "node:net";

const collected = [];

function request(method, url, body, params) {
  if (params.redirects !== 0 || !params.tags.name) throw new Error("wrong parameters");
  collected.push({ method, url, body, headers: params.headers });
  return { status: 200 };
}

export async function sent() {
  for (const entry of collected) await send(entry);
}

function send({ method, url, body, headers }) {
  const { hostname, port, origin } = new URL(url);
  const bytes = body === null ? Buffer.alloc(0) : Buffer.from(body);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "host")) {
    fields.push(`Host: ${hostname}:${port}\r\n`);
  }
  fields.push(`Content-Length: ${bytes.length}\r\n\r\n`);
  const head = `${method} ${url.slice(origin.length) || "/"} HTTP/1.1\r\n${fields.join("")}`;
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, hostname).on("close", resolve).on("error", reject);
    socket.write(head);
    socket.write(bytes);
    socket.resume();
  });
}

export default { request };

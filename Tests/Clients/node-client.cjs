// SPDX-License-Identifier: MIT
//
// Node's fetch; before version 24 the proxy has to be set through undici, which fetch is built on.

const proxied = () => {
  const [major] = process.versions.node.split('.').map(Number)
  if (major >= 24) return fetch
  const undici = require('undici')
  const dispatcher = new undici.ProxyAgent(process.env.http_proxy)
  return (url) => undici.fetch(url, { dispatcher })
}

proxied()(process.argv[2])
  .then((response) => response.text())
  .then((text) => process.stdout.write(text))
  .catch((error) => { console.error(error); process.exit(1) })

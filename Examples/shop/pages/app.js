// The shop reverses secrets, so that this script does not contain them.
const turned = (text) => [...text].reverse().join("");

const send = (method, path, value, headers = {}) =>
  fetch(path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: value === undefined ? undefined : JSON.stringify(value),
  });

function chat() {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/chat");
    const questions = ["Lieferung bis Köln", "gift wrap"];
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: "login", token: turned("{{CHAT}}") }));
    socket.onmessage = (event) => {
      if (JSON.parse(event.data).type === "typing") return;
      const text = questions.shift();
      if (text) socket.send(JSON.stringify({ type: "question", text }));
      else socket.close(1000);
    };
    socket.onclose = resolve;
    socket.onerror = reject;
  });
}

async function visit() {
  await send("POST", "/api/login", { user: "ana", password: "not this one" });
  const login = await send("POST", "/api/login", {
    user: "ana",
    password: turned("{{PASSWORD}}"),
    device: { kind: "browser", remember: true },
  });
  const bearer = { Authorization: "Bearer " + (await login.json()).access_token };

  const list = document.getElementById("products");
  for (const page of [1, 2, 3]) {
    const answer = await fetch(`/api/products?page=${page}&api_key=${turned("{{QUERY}}")}`);
    for (const product of (await answer.json()).items) {
      const row = document.createElement("li");
      row.textContent = product.name;
      list.append(row);
    }
  }
  await fetch("/api/me", { headers: bearer });
  await fetch("/api/products/7", { headers: { "X-Api-Key": turned("{{KEY}}") } });
  await fetch("/api/products/700");
  await send("POST", "/api/cart", { id: 3, count: 1 });
  await send("PUT", "/api/cart/3", { count: 2 });
  await fetch("/api/cart");
  await send("DELETE", "/api/cart/3");
  await send("POST", "/api/checkout", {
    card: { number: turned("{{CARD}}"), month: 12, year: 2030 },
    address: { city: "Köln", zip: "50667" },
    note: 'leave it at the "blue" door\n',
  });
  await send("POST", "/api/password", {
    old_password: turned("{{PASSWORD}}"),
    new_password: turned("{{NEW}}"),
  });

  const form = new FormData();
  form.append("title", "a picture");
  form.append("file", new Blob([new Uint8Array([0, 1, 2, 250, 251])]), "picture.bin");
  await fetch("/upload", { method: "POST", body: form });

  await Promise.all([fetch("/boom"), fetch("/busy"), fetch("/slow?ms=300"), fetch("/report")]);
  await Promise.all([4, 5, 6, 7].map((n) => fetch(`/images/${n}.png`)));
  await fetch("/hang").catch(() => undefined);
  await chat();
  await fetch("/events").then((answer) => answer.text());
}

visit()
  .then(() => "done", () => "failed")
  .then((state) => {
    document.getElementById("state").textContent = state;
    return fetch("/done/" + document.getElementById("poll").src.split("/").pop(), { method: "POST" });
  });

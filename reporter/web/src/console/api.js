// What the page asks its server. The token is in the page's address; there is no cookie, which other ports would get, too.

const token = new URLSearchParams(location.search).get("token") ?? "";
const headers = { Authorization: `Bearer ${token}` };

async function asked(path, options) {
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { headers, cache: "no-store", ...options });
  } catch {
    throw new Error("the console does not answer: it may have ended");
  }
  const told = await answer.json().catch(() => ({ error: `the console answers ${answer.status}` }));
  if (!answer.ok) throw new Error(told.error);
  return told;
}

export const ask = (path) => asked(path);

/** Asks for something that changes a JVM. */
export const tell = (path, body = {}) => asked(path, { method: "POST", body: JSON.stringify(body) });

/** Calls `told` with the list of what is shown, now and after each change, and `state` when the connection comes or goes. */
export function events(told, state) {
  const stream = new EventSource(`/api/events?token=${token}`);
  stream.onmessage = (event) => told(JSON.parse(event.data));
  stream.onopen = () => state(true);
  stream.onerror = () => state(false);
}

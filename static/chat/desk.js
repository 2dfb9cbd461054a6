// The server's side of the page: one address, to read from and to post to.

/** A post the server understood and refused; its message is for the visitor. */
export class Refused extends Error {}

export class Desk {
  #url;
  #token;
  #refusedText;
  #etag = "";

  constructor(url, token, refusedText) {
    this.#url = url;
    this.#token = token;
    this.#refusedText = refusedText;
  }

  /** The conversation's state, or null while it is as it was. Throws when it can't be had. */
  async read() {
    const headers = { Accept: "application/json" };
    if (this.#etag) headers["If-None-Match"] = this.#etag;
    const answer = await this.#ask({ headers, cache: "no-store" });
    if (answer.status === 304) return null;
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const state = await answer.json();
    this.#etag = answer.headers.get("ETag") ?? "";
    return state;
  }

  /** Store one message. Throws `Refused` when repeating it would not help. */
  async post(message) {
    const headers = { "Content-Type": "application/json", "X-CSRFToken": this.#token };
    const answer = await this.#ask({ method: "POST", headers, body: JSON.stringify(message) });
    if (answer.ok) return;
    if (answer.status >= 500 || answer.status === 429) throw new Error(`HTTP ${answer.status}`);
    const told = await answer.json().catch(() => ({}));
    throw new Refused(told.error ?? this.#refusedText);
  }

  #ask(options) {
    const signal = AbortSignal.timeout(15_000);
    return fetch(this.#url, { credentials: "same-origin", redirect: "error", signal, ...options });
  }
}

// What the visitor wrote and the server does not show yet: kept, in order, through reloads.

import { Refused } from "./desk.js";

const KEY = "chat-unsent";
const LONGEST_WAIT = 30_000;

export class Sender {
  #desk;
  #told;
  #unsent = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  #stored = [];
  #busy = false;
  #failures = 0;
  #timer = 0;

  /** `told` hears `changed()` after every step and `refused(message, why)`. */
  constructor(desk, told) {
    this.#desk = desk;
    this.#told = told;
    addEventListener("online", () => this.flush());
  }

  /** Messages the server does not show yet, oldest first; `stored` once it has them. */
  get waiting() {
    return [...this.#stored, ...this.#unsent];
  }

  get troubled() {
    return this.#failures > 0;
  }

  /** Take a message. Its id is made here, once, and the server stores an id only once. */
  add(message) {
    this.#keep([...this.#unsent, { id: uuid(), at: new Date().toISOString(), ...message }]);
    this.flush();
  }

  /** Send what waits, first one first; after a failure again, less and less often. */
  async flush() {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    try {
      while (this.#unsent.length) await this.#sendFirst();
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      this.#timer = setTimeout(() => this.flush(), Math.min(LONGEST_WAIT, 1000 * 2 ** this.#failures));
    } finally {
      this.#busy = false;
      this.#told.changed();
    }
  }

  /** Forget what the server shows by now. */
  settle(shownIds) {
    this.#stored = this.#stored.filter((message) => !shownIds.has(message.id));
  }

  async #sendFirst() {
    const first = this.#unsent[0];
    const { at, ...message } = first;
    try {
      await this.#desk.post(message);
      this.#stored.push({ ...first, stored: true });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#told.refused(first, error.message);
    }
    this.#keep(this.#unsent.slice(1));
  }

  #keep(unsent) {
    this.#unsent = unsent;
    sessionStorage.setItem(KEY, JSON.stringify(unsent));
    this.#told.changed();
  }
}

/** `crypto.randomUUID` is missing on plain http, which a phone on the local network uses. */
function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

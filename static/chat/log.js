// The conversation on the page. Nodes are kept by id and changed in place, so
// that a screen reader hears each message once and a reader's place stays.

import { dayOf, formatted, timeOf } from "./format.js";

const TICKS = { waiting: "M8 1a4.5 4.5 0 1 0 .1 0M8 3v2.7l1.8 1", sent: "M3 6l3 3 7-7", read: "M1 6l3 3 7-7M6 8l1 1 7-7" };

export class Log {
  #list;
  #words;
  #press;
  #nodes = new Map();

  /** `press(button)` is called with the button's id and title. */
  constructor(list, words, press) {
    this.#list = list;
    this.#words = words;
    this.#press = press;
  }

  /** Show these messages, oldest first; the server's and those on their way. */
  draw(messages) {
    const items = [...this.#withDays(messages)];
    items.forEach((item, index) => {
      const node = this.#nodes.get(item.id) ?? this.#create(item);
      this.#update(node, item);
      const there = this.#list.children[index];
      if (there !== node) this.#list.insertBefore(node, there ?? null);
    });
    this.#drop(new Set(items.map((item) => item.id)));
  }

  *#withDays(messages) {
    let last = "";
    for (const message of messages) {
      const day = dayOf(new Date(message.at), this.#words);
      if (day !== last) yield { id: `day ${day}`, side: "day", text: day };
      last = day;
      yield message;
    }
  }

  #create(item) {
    const line = item.side === "day" || item.side === "note";
    const node = element("li", line ? `note ${item.side}` : `bubble ${item.side}-side`);
    if (line) node.textContent = item.text;
    else node.append(this.#speaker(item), words(item.text), this.#stamp(item));
    this.#nodes.set(item.id, node);
    return node;
  }

  #speaker(item) {
    const speaker = element("span", "hidden");
    speaker.textContent = `${item.side === "visitor" ? this.#words.you : this.#words.shop}: `;
    return speaker;
  }

  #stamp(item) {
    const stamp = element("span", "stamp");
    const time = element("time");
    time.dateTime = item.at;
    time.textContent = timeOf(new Date(item.at));
    stamp.append(time);
    if (item.side === "visitor") stamp.append(element("span", "ticks"));
    return stamp;
  }

  #update(node, item) {
    node.classList.toggle("waiting", item.ticks === "waiting");
    if (item.side === "visitor") this.#tick(node.querySelector(".ticks"), item.ticks);
    if (item.side === "desk") this.#offer(node, item);
  }

  #tick(ticks, state) {
    if (ticks.dataset.state === state) return;
    ticks.dataset.state = state;
    ticks.className = `ticks ${state}`;
    ticks.setAttribute("role", "img");
    ticks.setAttribute("aria-label", this.#words[state]);
    ticks.replaceChildren(drawing(TICKS[state]));
  }

  /** Buttons while a question is open, its answer afterwards. */
  #offer(node, item) {
    const state = item.answered || item.buttons.map((button) => button.id).join();
    if (node.dataset.offer === state || (!state && !node.dataset.offer)) return;
    node.dataset.offer = state;
    node.querySelector(".buttons, .answered")?.remove();
    if (item.answered) node.append(element("p", "answered", item.answered));
    else if (item.buttons.length) node.append(this.#buttons(item));
  }

  #buttons(item) {
    const group = element("div", "buttons");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", this.#words.answers);
    for (const choice of item.buttons) {
      const button = element("button", "", choice.title);
      button.type = "button";
      button.addEventListener("click", () => this.#press(choice));
      group.append(button);
    }
    return group;
  }

  #drop(shown) {
    for (const [id, node] of this.#nodes) {
      if (shown.has(id)) continue;
      node.remove();
      this.#nodes.delete(id);
    }
  }
}

function words(text) {
  const node = element("span", "words");
  node.append(formatted(text));
  return node;
}

function element(name, className = "", text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

function drawing(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 11");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

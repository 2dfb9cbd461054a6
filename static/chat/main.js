// The chat page: reads the conversation every second and draws it; sends what is written.

import { Desk } from "./desk.js";
import { Log } from "./log.js";
import { Sender } from "./sender.js";

const VISIBLE_MS = 1_000;
const HIDDEN_MS = 15_000;
const LONGEST_WAIT_MS = 30_000;
const DRAFT = "chat-draft";

const find = (id) => document.getElementById(id);
const chat = find("chat");
const words = chat.dataset;
const text = find("text");
const scroll = find("scroll");

let state = { messages: [], typing: false };
let failures = 0;
let timer = 0;
let complaint = "";

const token = find("composer").elements.csrfmiddlewaretoken.value;
const desk = new Desk(words.messagesUrl, token, words.refused);
const sender = new Sender(desk, { changed: draw, refused: giveBack });
const log = new Log(find("log"), words, press);

function draw() {
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const pressed = new Map(sender.waiting.filter((one) => one.press).map((one) => [one.press, one.text]));
  log.draw([...state.messages.map((message) => withAnswer(message, pressed)), ...sender.waiting.map(asBubble)]);
  const offline = failures > 1 || sender.troubled;
  const presence = state.typing ? words.typing : words.online;
  const trouble = offline ? words.offline : complaint;
  find("dots").hidden = offline || !state.typing;
  say("presence", offline ? "" : presence);
  say("trouble", trouble);
  find("trouble").hidden = !trouble;
  if (atEnd) scroll.scrollTop = scroll.scrollHeight;
}

/** A message on its way, in the form the server will give it. */
function asBubble({ id, at, text: said, stored }) {
  if (said === words.resetCommand) return { id, at, side: "note", text: words.restarted };
  return { id, at, side: "visitor", text: said, ticks: stored ? "sent" : "waiting" };
}

/** Change a live region only when it says something new: it is read out each time. */
function say(id, what) {
  if (find(id).textContent !== what) find(id).textContent = what;
}

/** A question whose button was just pressed, before the server knows. */
function withAnswer(message, pressed) {
  const choice = message.buttons.find((button) => pressed.has(button.id));
  return choice ? { ...message, buttons: [], answered: `→ ${choice.title}` } : message;
}

async function poll() {
  clearTimeout(timer);
  try {
    const news = await desk.read();
    failures = 0;
    if (news) {
      state = news;
      sender.settle(new Set(news.messages.map((message) => message.id)));
    }
  } catch {
    failures += 1;
  }
  draw();
  const pace = document.hidden ? HIDDEN_MS : VISIBLE_MS;
  timer = setTimeout(poll, Math.min(LONGEST_WAIT_MS, pace * 2 ** Math.min(failures, 5)));
}

function send(message) {
  complaint = "";
  sender.add({ name: find("name").value.trim(), ...message });
  scroll.scrollTop = scroll.scrollHeight;
  text.focus();
}

function press(button) {
  send({ text: button.title, press: button.id });
}

/** The server will never take it: the words go back to where they can be changed. */
function giveBack(message, why) {
  complaint = why;
  if (!message.press && message.text !== words.resetCommand) write([message.text, text.value].filter(Boolean).join("\n"));
}

function write(value) {
  text.value = value;
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
  sessionStorage.setItem(DRAFT, value);
}

find("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const written = text.value.trim();
  if (!written) return;
  write("");
  send({ text: written });
});

text.addEventListener("input", () => write(text.value));

text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  find("composer").requestSubmit();
});

find("restart").addEventListener("click", () => {
  togglePanel(false);
  send({ text: words.resetCommand });
});

for (const idea of document.querySelectorAll("[data-idea]")) {
  idea.addEventListener("click", () => {
    togglePanel(false);
    write(idea.textContent.trim());
    text.focus();
  });
}

function togglePanel(open) {
  find("panel").classList.toggle("open", open);
  find("menu").setAttribute("aria-expanded", String(open));
}

find("menu").addEventListener("click", () => {
  const open = find("menu").getAttribute("aria-expanded") !== "true";
  togglePanel(open);
  if (open) find("name").focus();
});

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || find("menu").getAttribute("aria-expanded") !== "true") return;
  togglePanel(false);
  find("menu").focus();
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) poll();
});
addEventListener("online", poll);

write(sessionStorage.getItem(DRAFT) ?? "");
sender.flush();
await poll();
// Only what comes from now on is news; the history is not read out.
requestAnimationFrame(() => find("log").setAttribute("aria-live", "polite"));

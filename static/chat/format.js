// Text to nodes: customers' and model's words never become HTML.

const MARK = /(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u;
const TAGS = { "*": "strong", "_": "em", "~": "s" };

/** WhatsApp's *bold*, _italic_ and ~struck~ as a document fragment. */
export function formatted(text) {
  const fragment = document.createDocumentFragment();
  let rest = text;
  for (let found = MARK.exec(rest); found; found = MARK.exec(rest)) {
    fragment.append(rest.slice(0, found.index));
    const element = document.createElement(TAGS[found[1]]);
    element.append(formatted(found[2]));
    fragment.append(element);
    rest = rest.slice(found.index + found[0].length);
  }
  fragment.append(rest);
  return fragment;
}

const locale = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });

export const timeOf = (at) => clock.format(at);

/** "Today", "Yesterday" or the date. */
export function dayOf(at, words) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const days = Math.round((midnight - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return words.today;
  return days === 1 ? words.yesterday : calendar.format(at);
}

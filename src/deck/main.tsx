import DOMPurify from "dompurify";
import { render } from "preact";
import { browserClock } from "../page-kit/browser-clock.ts";
import { createKeys } from "../page-kit/keys.ts";
import { takeKey, watchKeys } from "../page-kit/watch-keys.ts";
import { createApi } from "./api.ts";
import { App } from "./app.tsx";
import { createDeck } from "./deck.ts";
import { createKeeping } from "./keeping.ts";
import { createMarkdown } from "./markdown.ts";
import { PageProvider } from "./page.ts";
import { pathOf, sessionAt } from "./route.ts";
import { dial } from "./socket.ts";
import { sessionName } from "./words.ts";
import "../page-kit/style/theme.css";
import "./style/theme.css";
import "../page-kit/style/chat.css";
import "./style/layout.css";
import "./style/sessions.css";
import "./style/transcript.css";
import "./style/text.css";
import "./style/tools.css";
import "./style/foot.css";
import "./style/question.css";

/** Under which this origin keeps its key. */
const KEY = "evie.key";

const keys = createKeys(() => localStorage, KEY);
const linked = takeKey();
if (linked !== undefined) keys.offer(linked);
const api = createApi(() => keys.current());
const deck = createDeck({
  clock: browserClock,
  random: Math.random,
  newId: () => crypto.randomUUID(),
  keys,
  dial,
  api,
  keeping: createKeeping(localStorage, sessionStorage),
});
deck.show(sessionAt(location.pathname));

addEventListener("popstate", () => deck.show(sessionAt(location.pathname)));
deck.store.subscribe(() => {
  const { shown, conversations, sessions } = deck.store.state;
  const path = pathOf(shown);
  if (path !== location.pathname) history.pushState(undefined, "", path);
  const name = conversations[shown ?? ""]?.about.name ?? sessions?.find(({ id }) => id === shown)?.name;
  const title = shown === undefined ? "evie" : `${sessionName(name)} · evie`;
  if (document.title !== title) document.title = title;
});
watchKeys(KEY, (offered) => {
  if (offered === undefined) deck.nudge(navigator.onLine);
  else deck.offer(offered);
});
addEventListener("online", () => deck.nudge(true));
addEventListener("offline", () => deck.nudge(false));
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") deck.nudge(navigator.onLine);
});

/** What agents may bring into the page; whatever else the renderer lets through ends here. */
const CLEAN = {
  ALLOWED_TAGS:
    "a p br hr em strong del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table tr th td div span figure figcaption button".split(
      " ",
    ),
  ALLOWED_ATTR: ["href", "title", "target", "rel", "class", "type", "align", "value", "tabindex"],
  ALLOW_DATA_ATTR: true,
  ALLOW_ARIA_ATTR: true,
};

const place = document.getElementById("app");
if (place !== null) {
  place.textContent = "";
  const page = {
    deck,
    fetchFile: api.file,
    clock: browserClock,
    markdown: createMarkdown((html) => DOMPurify.sanitize(html, CLEAN)),
    places: new Map(),
  };
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    place,
  );
}

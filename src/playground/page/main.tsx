import { render } from "preact";
import { createKeys } from "../../page-kit/keys.ts";
import { takeKey } from "../../page-kit/watch-keys.ts";
import { App } from "./app.tsx";
import { createServer, ServerProvider } from "./server.ts";
import { connect } from "./store.ts";
import "../../page-kit/style/theme.css";
import "./style/theme.css";
import "../../page-kit/style/chat.css";
import "./style/layout.css";
import "./style/messages.css";
import "./style/rich-text.css";
import "./style/composer.css";
import "./style/underneath.css";

/** Under which this origin keeps its key: not the deck's, which may have been at this port before. */
const KEY = "evie.playground.key";

const keys = createKeys(() => localStorage, KEY);
const linked = takeKey();
if (linked !== undefined) keys.offer(linked);

const place = document.getElementById("app");
if (place !== null) {
  place.textContent = "";
  render(
    <ServerProvider value={createServer(keys)}>
      <App store={connect(keys, KEY)} />
    </ServerProvider>,
    place,
  );
}

import { render } from "preact";
import { App } from "./app.tsx";
import { connect } from "./store.ts";
import "../../page-kit/style/theme.css";
import "./style/theme.css";
import "../../page-kit/style/chat.css";
import "./style/layout.css";
import "./style/messages.css";
import "./style/rich-text.css";
import "./style/composer.css";
import "./style/underneath.css";

const place = document.getElementById("app");
if (place !== null) {
  place.textContent = "";
  render(<App store={connect()} />, place);
}

import type { Socket, SocketEvents } from "./connection.ts";

/** The code that evie closes the socket of a page with whose key is none, or has ended. */
const LOCKED_OUT = 4401;

/** Opens the WebSocket of the server that the page came from. The key goes along as a protocol: a page can add no header. */
export function dial(key: string, { onText, onClose }: SocketEvents): Socket {
  const address = new URL("/ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, ["evie", key]);
  socket.addEventListener("message", ({ data }) => onText(String(data)));
  socket.addEventListener("close", ({ code }) => onClose(code === LOCKED_OUT ? "refused" : "gone"));
  return { send: (text) => socket.send(text), close: () => socket.close() };
}

import type { Socket, SocketEvents } from "./connection.ts";

/** Opens the WebSocket of the server that the page came from. */
export function dial({ onText, onClose }: SocketEvents): Socket {
  const address = new URL("/ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.addEventListener("message", ({ data }) => onText(String(data)));
  socket.addEventListener("close", onClose);
  return { send: (text) => socket.send(text), close: () => socket.close() };
}

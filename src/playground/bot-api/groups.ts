import type { Channel, Group, GroupIdentity } from "./bot-api.ts";
import { createClient, makeUser } from "./client.ts";
import { findMarks } from "./marks.ts";
import type { Chat } from "./shapes.ts";
import type { World } from "./world.ts";

interface Seat {
  readonly world: World;
  readonly spacing: number;
}

export function createGroup({ world, spacing }: Seat, identity: GroupIdentity): Group {
  const { id, title, type = "supergroup", is_forum } = identity;
  const chat: Chat = { id, type, title, ...(is_forum === true ? { is_forum } : {}) };
  const room = world.open(chat);
  const membership = (from: string, to: string): void => {
    world.updates.add("my_chat_member", {
      chat,
      from: { id: 1, is_bot: false, first_name: "Owner" },
      date: world.date(),
      old_chat_member: { user: world.bot, status: from },
      new_chat_member: { user: world.bot, status: to, ...(to === "kicked" ? { until_date: 0 } : {}) },
    });
  };
  return {
    chat,
    as: (person) => createClient(world, makeUser(person), room, spacing),
    kick() {
      if (room.barred !== undefined) return;
      room.barred = "kicked";
      membership("member", "kicked");
    },
    invite() {
      if (room.barred === undefined) return;
      room.barred = undefined;
      membership("left", "member");
    },
  };
}

export function createChannel(
  { world }: Seat,
  identity: { readonly id: number; readonly title: string },
): Channel {
  const chat: Chat = { id: identity.id, type: "channel", title: identity.title };
  const room = world.open(chat);
  return {
    chat,
    post(text) {
      const entities = findMarks(text);
      const content = { sender_chat: chat, text, ...(entities.length === 0 ? {} : { entities }) };
      const author = { id: chat.id, is_bot: false, first_name: identity.title };
      const { message } = world.post(room, author, content);
      world.updates.add("channel_post", message);
      return message;
    },
  };
}

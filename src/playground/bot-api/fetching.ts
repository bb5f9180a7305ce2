import { badRequest } from "./errors.ts";
import type { Method, MethodCall } from "./method.ts";

export const getUpdates: Method = (call) => {
  const { params, world, signal } = call;
  const allowedUpdates = readAllowed(call);
  const [offset, limit, timeout] = ["offset", "limit", "timeout"].map((name) => params.integer(name));
  return world.updates.poll({ offset, limit, timeout, allowedUpdates }, signal);
};

export const setWebhook: Method = (call) => {
  const { params, world } = call;
  const url = params.string("url");
  const before = world.updates.webhook;
  if (url !== "" && !/^https:\/\//i.test(url)) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  world.updates.allow(readAllowed(call));
  if (params.flag("drop_pending_updates")) world.updates.clear();
  world.updates.setWebhook(url);
  if (url === "") call.describe(before === "" ? "Webhook is already deleted" : "Webhook was deleted");
  else call.describe(url === before ? "Webhook is already set" : "Webhook was set");
  return true;
};

export const deleteWebhook: Method = ({ params, world, describe }) => {
  if (params.flag("drop_pending_updates")) world.updates.clear();
  describe(world.updates.webhook === "" ? "Webhook is already deleted" : "Webhook was deleted");
  world.updates.setWebhook("");
  return true;
};

export const getWebhookInfo: Method = ({ world }) => ({
  url: world.updates.webhook,
  has_custom_certificate: false,
  pending_update_count: world.updates.pending.length,
});

/** What is no array leaves the choice as it was. */
function readAllowed({ params }: MethodCall): readonly string[] | undefined {
  const value = params.json("allowed_updates");
  if (!Array.isArray(value)) return undefined;
  return (value as readonly unknown[]).filter((kind) => typeof kind === "string");
}

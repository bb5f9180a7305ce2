import { type Api, InputFile } from "grammy";
import type { Clock } from "../domain/clock.ts";
import type { ChatPlace } from "../domain/ids.ts";
import { repairText } from "../domain/text.ts";
import { type Answer, type Call, classifyError, type PerformCall } from "./calls.ts";
import { startDeadline } from "./deadline.ts";
import type { FormattedText } from "./entities.ts";
import { type GrammySignal, toGrammy } from "./signals.ts";

/** Milliseconds after which a call that has not been answered counts as lost. */
const DEADLINES: Readonly<Record<Call["type"], number>> = {
  send: 30_000,
  edit: 15_000,
  delete: 15_000,
  document: 120_000,
  typing: 3_000,
  probe: 5_000,
};

/** Does calls through grammY's API object, and ends those under way when `closed`. Only an outbox may hold the answer of this. */
export function createPerform(api: Api, clock: Clock, closed: AbortSignal): PerformCall {
  return async (place, call) => {
    const deadline = startDeadline(clock, DEADLINES[call.type]);
    try {
      const signal = AbortSignal.any([deadline.signal, closed]);
      return await perform(api, place, call, toGrammy(signal));
    } catch (error) {
      return deadline.signal.aborted
        ? { type: "unreachable", reason: `no answer within ${DEADLINES[call.type] / 1_000} s` }
        : classifyError(error);
    } finally {
      deadline.cancel();
    }
  };
}

async function perform(api: Api, place: ChatPlace, call: Call, signal: GrammySignal): Promise<Answer> {
  const { chatId, threadId } = place;
  const thread = threadId === undefined ? {} : { message_thread_id: threadId };
  switch (call.type) {
    case "send": {
      const message = await api.sendMessage(
        chatId,
        call.content.text,
        {
          ...thread,
          ...formatting(call.content),
          disable_notification: call.silent,
          ...(call.replyTo === undefined
            ? {}
            : { reply_parameters: { message_id: call.replyTo, allow_sending_without_reply: true } }),
          ...(call.button === undefined
            ? {}
            : {
                reply_markup: {
                  inline_keyboard: [[{ text: call.button.text, callback_data: call.button.data }]],
                },
              }),
        },
        signal,
      );
      return { type: "done", messageId: message.message_id };
    }
    case "edit":
      await api.editMessageText(chatId, call.messageId, call.content.text, formatting(call.content), signal);
      return { type: "done" };
    case "document": {
      const file = new InputFile(Buffer.from(repairText(call.text), "utf8"), call.name);
      await api.sendDocument(chatId, file, { ...thread, disable_notification: true }, signal);
      return { type: "done" };
    }
    case "delete":
      await api.deleteMessage(chatId, call.messageId, signal);
      return { type: "done" };
    case "typing":
      await api.sendChatAction(chatId, "typing", thread, signal);
      return { type: "done" };
    case "probe":
      await api.getMe(signal);
      return { type: "done" };
  }
}

/** An agent's links are not for unfurling: a preview would cost the chat half a screen. */
function formatting({ entities }: FormattedText) {
  return { entities: [...entities], link_preview_options: { is_disabled: true } };
}

import type { Actions } from "../wire.ts";

/** Asks the server for one thing. Rejects with an Error whose message is a sentence for the person. */
export async function act<Name extends keyof Actions>(name: Name, body: Actions[Name]): Promise<void> {
  await post(name, JSON.stringify(body), { "content-type": "application/json" });
}

export interface FilesToSend {
  readonly files: readonly { readonly file: File; readonly size?: string }[];
  readonly asFiles: boolean;
  readonly caption: string;
  readonly replyTo?: number;
}

/** Sends files, as albums where they make one. Rejects as `act` does. */
export async function sendFiles({ files, asFiles, caption, replyTo }: FilesToSend): Promise<void> {
  const form = new FormData();
  form.set("caption", caption);
  form.set("as", asFiles ? "files" : "pictures");
  if (replyTo !== undefined) form.set("replyTo", String(replyTo));
  for (const [index, { file, size }] of files.entries()) {
    form.set(`file${index}`, file, file.name);
    if (size !== undefined) form.set(`file${index}.size`, size);
  }
  await post("send", form, {});
}

async function post(name: string, body: BodyInit, headers: Record<string, string>): Promise<void> {
  const response = await fetch(`/do/${name}`, { method: "POST", body, headers }).catch(() => undefined);
  if (response === undefined) throw new Error("The playground does not answer. Does evie still run?");
  if (response.ok) return;
  const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  throw new Error(answer.error?.message ?? `The playground answered with ${response.status}.`);
}

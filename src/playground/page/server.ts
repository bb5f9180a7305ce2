import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Keys } from "../../page-kit/keys.ts";
import type { Actions } from "../wire.ts";

export interface FilesToSend {
  readonly files: readonly { readonly file: File; readonly size?: string }[];
  readonly asFiles: boolean;
  readonly caption: string;
  readonly replyTo?: number;
}

/** What the page asks of the server that it came from. Rejects with an Error whose message is a sentence for the person. */
export interface Server {
  /** Asks for one thing. */
  act<Name extends keyof Actions>(name: Name, body: Actions[Name]): Promise<void>;
  /** Sends files, as albums where they make one. */
  sendFiles(files: FilesToSend): Promise<void>;
  /** Fetches the file at a path. */
  file(path: string): Promise<Blob>;
}

/** The server, asked with the key of this origin. */
export function createServer(keys: Keys): Server {
  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${keys.current() ?? ""}`);
    const response = await fetch(path, { ...init, headers }).catch(() => undefined);
    if (response === undefined) throw new Error("The playground does not answer. Does evie still run?");
    if (response.ok) return response;
    const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new Error(answer.error?.message ?? `The playground answered with ${response.status}.`);
  }
  return {
    async act(name, body) {
      const headers = { "content-type": "application/json" };
      await request(`/do/${name}`, { method: "POST", body: JSON.stringify(body), headers });
    },
    async sendFiles({ files, asFiles, caption, replyTo }) {
      const form = new FormData();
      form.set("caption", caption);
      form.set("as", asFiles ? "files" : "pictures");
      if (replyTo !== undefined) form.set("replyTo", String(replyTo));
      for (const [index, { file, size }] of files.entries()) {
        form.set(`file${index}`, file, file.name);
        if (size !== undefined) form.set(`file${index}.size`, size);
      }
      await request("/do/send", { method: "POST", body: form });
    },
    file: async (path) => await (await request(path)).blob(),
  };
}

const ServerContext = createContext<Server | undefined>(undefined);

export const ServerProvider = ServerContext.Provider;

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === undefined) throw new Error("A part of the page stands outside of it.");
  return server;
}

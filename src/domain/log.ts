type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Where parts say what happened. Fields first, then one sentence; errors go under the field `err`. Never the text of a person. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

import { inspect } from "node:util";

/** A text that is not shown when the object around it is printed, logged or made into JSON. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Whoever takes it must not let it out of the process's memory but to whom it is for. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "<secret>";
  }

  toJSON(): string {
    return "<secret>";
  }

  [inspect.custom](): string {
    return "<secret>";
  }
}

import type { Options } from "mdast-util-from-markdown";
import { endOfAddress } from "../../domain/address.ts";

type MicromarkExtension = Exclude<NonNullable<Options["extensions"]>[number], readonly unknown[]>;
type Construct = Exclude<NonNullable<MicromarkExtension["text"]>[string], readonly unknown[] | undefined>;

/** GitHub's rules for bare addresses, which take wide punctuation behind one for a part of it, and find mail addresses too. */
export const githubAddresses: readonly string[] = ["protocolAutolink", "wwwAutolink", "emailAutolink"];

/**
 * Makes links of the addresses that stand in this source without any mark, as if they stood in angle brackets. Nothing
 * in an address is markup, and markup around one stays markup.
 */
export function bareAddresses(source: string): MicromarkExtension {
  const address: Construct = {
    name: "bareAddress",
    tokenize(effects, ok, nok) {
      const { offset } = this.now();
      const end = endOfAddress(source, offset);
      return (code) => {
        if (end === undefined) return nok(code);
        let left = end - offset;
        effects.enter("autolink");
        effects.enter("autolinkProtocol");
        effects.consume(code);
        left -= 1;
        return function inside(next) {
          if (left > 0) {
            effects.consume(next);
            left -= 1;
            return inside;
          }
          effects.exit("autolinkProtocol");
          effects.exit("autolink");
          return ok(next);
        };
      };
    },
  };
  const letters = ["H", "h", "W", "w"].map((letter) => [letter.charCodeAt(0), address] as const);
  return { text: Object.fromEntries(letters) };
}

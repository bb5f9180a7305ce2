import {
  attention,
  autolink,
  blockQuote,
  codeFenced,
  definition,
  headingAtx,
  labelEnd,
  list,
  thematicBreak,
} from "micromark-core-commonmark";
import { gfm } from "micromark-extension-gfm";
import type { Code, Construct, Extension, State, Token, TokenizeContext } from "micromark-util-types";
import { characterBefore } from "../../domain/markdown/characters.ts";
import { flanks, type Flanks } from "../../domain/markdown/emphasis.ts";
import { isShownBackslash } from "../../domain/markdown/escapes.ts";
import { isFence, isHeading, isItem, isNote, isQuote, isRule } from "../../domain/markdown/lines.ts";
import { addressInBrackets, isDefinition, isMeantTarget } from "../../domain/markdown/links.ts";
import { bareAddresses, githubAddresses } from "./bare-addresses.ts";

/** GFM without what can be told from other text by its look alone: one tilde, HTML, underlined headings. */
const fixed: readonly Extension[] = [
  gfm({ singleTilde: false }),
  {
    disable: {
      null: [
        "htmlFlow",
        "htmlText",
        ...githubAddresses,
        "setextUnderline",
        // Those that the rules of `syntaxOf` replace.
        "attention",
        "autolink",
        "blockQuote",
        "codeFenced",
        "definition",
        "gfmFootnoteDefinition",
        "headingAtx",
        "labelEnd",
        "list",
        "strikethrough",
        "tasklistCheck",
        "thematicBreak",
      ],
    },
  },
];

/**
 * Makes the syntax of a source: CommonMark and GFM, of which a mark counts where the rules of the domain say that it
 * was meant as one. It reads the source at the parser's offsets, since a construct is told of one character in front
 * of itself only. `closers` are marks behind the source that close its styles, whatever stands in front of them.
 */
export function syntaxOf(text: string, closers: string): readonly Extension[] {
  const source = text + closers;
  const item = itemOf(source);
  const rule = guarded(thematicBreak, (at) => isRule(source, at));
  const fence = guarded(codeFenced, (at) => isFence(source, at));
  const flanksAt = (start: number, end: number): Flanks =>
    start < text.length ? flanks(source, start, end) : { opens: false, closes: true };
  const emphasis = flanked(attention, flanksAt);
  return [
    ...fixed,
    bareAddresses(source),
    {
      document: {
        ...forCodes([42, 43, 45, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57], item),
        62: quoteOf(source),
        91: guarded(footnote, (at) => isNote(source, at)),
      },
      contentInitial: { 91: guarded(definition, (at) => isDefinition(source, at)) },
      flow: {
        35: guarded(headingAtx, (at) => isHeading(source, at)),
        42: rule,
        45: rule,
        95: rule,
        96: fence,
        126: fence,
      },
      text: {
        ...forCodes([-5, -4, -3], lineEnd),
        42: emphasis,
        60: guarded(autolink, (at) => addressInBrackets(source, at) !== undefined),
        91: guarded(task, (at) => isTask(source, at)),
        92: shownBackslash(source),
        93: linkEnd(source),
        95: emphasis,
        126: flanked(strikethrough, flanksAt),
      },
    },
  ];
}

function forCodes(codes: readonly number[], construct: Construct): Record<number, Construct> {
  return Object.fromEntries(codes.map((code) => [code, construct]));
}

/** A name of its own, since the parser knows what is disabled by its name. */
function nameOf(construct: Construct): string {
  return `meant ${construct.name ?? ""}`;
}

/** A construct that begins only where it is meant. */
function guarded(
  construct: Construct,
  isMeant: (at: number, context: TokenizeContext) => boolean,
): Construct {
  return {
    ...construct,
    name: nameOf(construct),
    tokenize(effects, ok, nok) {
      const begin = construct.tokenize.call(this, effects, ok, nok);
      return (code) => (isMeant(this.now().offset, this) ? begin(code) : nok(code));
    },
  };
}

/** A container whose next lines are looked for under its new name, too. */
function container(
  construct: Construct,
  isMeant: (at: number, context: TokenizeContext) => boolean,
): Construct {
  const meant: Construct = {
    ...guarded(construct, isMeant),
    continuation: {
      tokenize(effects, ok, nok) {
        const again = effects.attempt(meant, ok, nok);
        return construct.continuation?.tokenize.call(this, effects, ok, again) ?? nok;
      },
    },
  };
  return meant;
}

/** Each item is asked for by itself: of a list that grows, the first items are rendered before the others come. */
function itemOf(source: string): Construct {
  return container(list, (at) => !isRule(source, at) && isItem(source, at));
}

/** In a quote that has begun, every mark goes on with it. */
function quoteOf(source: string): Construct {
  return container(blockQuote, (at, { containerState }) => {
    return containerState?.["open"] === true || isQuote(source, at);
  });
}

/** A run of marks that opens and closes what the rules say. */
function flanked(construct: Construct, flanksAt: (start: number, end: number) => Flanks): Construct {
  return {
    ...construct,
    name: nameOf(construct),
    tokenize(effects, ok, nok) {
      const judge: State = (code) => {
        const run = this.events.at(-1)?.[1];
        if (run !== undefined) {
          const { opens, closes } = flanksAt(run.start.offset, run.end.offset);
          run._open = opens;
          run._close = closes;
        }
        return ok(code);
      };
      return construct.tokenize.call(this, effects, judge, nok);
    },
  };
}

const footnote = named("gfmFootnoteDefinition", fixed[0]?.document?.[91]);
const task = named("tasklistCheck", fixed[0]?.text?.[91]);
const strikethrough = named("strikethrough", fixed[0]?.text?.[126]);

function named(name: string, constructs: Construct | readonly Construct[] | undefined): Construct {
  const found = [constructs ?? []].flat().find((construct) => construct.name === name);
  if (found === undefined) throw new Error(`The parser's extension has no construct named ${name}`);
  return found;
}

/** A line's end that leaves the next line its indentation. */
const lineEnd: Construct = {
  name: "line end",
  tokenize: (effects, ok) => (code) => {
    effects.enter("lineEnding");
    effects.consume(code);
    effects.exit("lineEnding");
    return ok;
  },
};

/** A backslash that is text, with the sign behind it, which is no mark either. */
function shownBackslash(source: string): Construct {
  return {
    name: "shown backslash",
    tokenize(effects, ok, nok) {
      const next: State = (code) => {
        if (isAsciiSign(code)) {
          effects.consume(code);
          effects.exit("data");
          return ok;
        }
        effects.exit("data");
        return ok(code);
      };
      return (code) => {
        if (!isShownBackslash(source, this.now().offset)) return nok(code);
        effects.enter("data");
        effects.consume(code);
        return next;
      };
    },
  };
}

function isAsciiSign(code: Code): boolean {
  return code !== null && code > 0 && /[!-/:-@[-`{-~]/.test(String.fromCharCode(code));
}

/** The end of a link's words: with no target that is meant as one, they stay what was written. */
function linkEnd(source: string): Construct {
  return {
    ...labelEnd,
    name: nameOf(labelEnd),
    tokenize(effects, ok, nok) {
      const begin = labelEnd.tokenize.call(this, effects, ok, nok);
      return (code) => {
        const start = openLabel(this);
        const target = targetAt(source, this.now().offset);
        if (start === undefined || target === undefined) return begin(code);
        if (isMeantTarget(target, characterBefore(source, start.start.offset))) return begin(code);
        start._balanced = true;
        return nok(code);
      };
    },
  };
}

function openLabel({ _labelStarts }: TokenizeContext): Token | undefined {
  return _labelStarts?.findLast(({ _balanced }) => _balanced !== true);
}

/** The box of a task, right behind an item's marker. A bracket below one belongs to the next paragraph. */
function isTask(text: string, at: number): boolean {
  return /(?:[*+-]|\d[.)])[ \t]+$/.test(text.slice(Math.max(0, at - 8), at));
}

/** What stands in parentheses behind a bracket at this offset, up to a title; undefined where there are none. */
function targetAt(source: string, at: number): string | undefined {
  const target = /\]\([ \t\n]*<?([^\s()<>]*)/y;
  target.lastIndex = at;
  return target.exec(source)?.[1];
}

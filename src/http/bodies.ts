import * as z from "zod";
import { LevelsError } from "../domain/levels.ts";
import { parseJson } from "../domain/text.ts";
import { Refusal } from "./refusal.ts";

/** Characters of a prompt's text, and what its pictures may be: more than a model can read, and as much as an agent can take in a line. */
const LONGEST_TEXT = 1_000_000;
const MOST_IMAGES = 10;
/** Characters of base64. */
const LONGEST_IMAGE = 10_000_000;
/** Bytes of a request's body, and of a frame. */
export const LARGEST_BODY = 20 * 2 ** 20;

const id = z.string().min(1).max(200);

const image = z.object({
  mimeType: z.string().max(100),
  data: z.string().max(LONGEST_IMAGE),
});

const prompt = {
  text: z.string().max(LONGEST_TEXT),
  images: z.array(image).max(MOST_IMAGES).optional(),
  mode: z.enum(["queue", "replace", "steer"]).optional(),
};

const value = z.union([z.string().max(LONGEST_TEXT), z.boolean(), z.null()]);

export const bodies = {
  create: z.object({
    name: z.string().trim().min(1).max(200).optional(),
    cwd: z.string().min(1).max(4_096).optional(),
  }),
  rename: z.object({ name: z.string().trim().min(1).max(200) }),
  prompt: z.object({ ...prompt, requestId: id.optional() }),
  answer: z.object({ questionId: id, value }),
};

/** The header that may name a request instead of its body. */
export const headers = z.object({ "Idempotency-Key": id.optional() });

export const clientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("subscribe"), sessionId: id, shown: z.boolean().optional() }),
  z.object({ type: z.literal("unsubscribe"), sessionId: id }),
  z.object({ type: z.literal("prompt"), sessionId: id, ...prompt, requestId: id }),
  z.object({ type: z.literal("withdraw"), sessionId: id, requestId: id }),
  z.object({ type: z.literal("abort"), sessionId: id }),
  z.object({ type: z.literal("answer"), sessionId: id, questionId: id, value }),
  z.object({ type: z.literal("ping") }),
]);

/** A value of that shape; throws a Refusal 400 that names what is wrong. */
export function readShape<Shape>(schema: z.ZodType<Shape>, given: unknown): Shape {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "The body" : `"${issue.path.join(".")}"`;
  throw new Refusal(
    400,
    "bad_request",
    `${where} is not right: ${issue?.message ?? "it is of another shape"}.`,
  );
}

/** What a text says as JSON, without halves of characters and NUL; throws a Refusal 400 when it is none, or nested too deeply. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof LevelsError) throw new Refusal(400, "too_deep", `${error.message} Send it flatter.`);
    throw new Refusal(400, "bad_json", "This is no JSON.");
  }
}

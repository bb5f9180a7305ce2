import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorForLog } from "../../../src/agent/pi/error-for-log.ts";
import { maskKeys } from "../../../src/agent/pi/error-text.ts";
import { explainError } from "../../../src/agent/pi/provider-error.ts";
import { reasonOf } from "../../../src/agent/pi/reason.ts";

const anthropic = (status: number, type: string, message: string): string =>
  `${status} ${JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011CUx" })}`;
const openai = (status: number, message: string, code: string): string =>
  `${status}: ${JSON.stringify({ message, type: "invalid_request_error", param: null, code })}`;
const google = (code: number, status: string, message: string): string =>
  JSON.stringify({ error: { code, message, status } });
const page = (title: string): string =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head>\n<body><h1>${title}</h1></body></html>`;

const KEY = "the provider did not accept the key";
const NO_KEY = "there is no key for the provider";
const CREDIT = "the account at the provider has no credit left, or has reached its limit";
const RATE = "the provider allows no more requests for the moment";
const BUSY = "the provider is overloaded";
const LONG = "this conversation is too long for the model";
const SERVER = "the provider's server failed";
const ACCESS = "the provider refused access";
const LATE = "the provider did not answer in time";
const BROKEN = "the connection to the provider broke off";
const PICTURE = "the provider could not use a picture of this session";
const FILTER = "the provider's filter for content stopped the answer";
const TLS = "the provider's certificate cannot be trusted";
const RUBBISH = "the provider sent something that is not an answer";

test("an error that nests as deep as its length allows is read like any other", () => {
  const deep = `${"[".repeat(9_000)}1${"]".repeat(9_000)}`;
  const error = `529 {"error":{"type":"overloaded_error","message":"Overloaded","details":${deep}}}`;
  expect(reasonOf(error)).toContain(BUSY);
});

describe("an error of a provider says in plain words what went wrong", () => {
  test.each<[string, string]>([
    // Anthropic
    [anthropic(401, "authentication_error", "invalid x-api-key"), `${KEY} (401)`],
    [anthropic(403, "permission_error", "Your API key does not have permission."), `${ACCESS} (403)`],
    [
      anthropic(404, "not_found_error", "model: claude-nope"),
      "the provider does not know the model “claude-nope”",
    ],
    [
      anthropic(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      ),
      `${RATE} (429)`,
    ],
    [anthropic(529, "overloaded_error", "Overloaded"), `${BUSY} (529)`],
    ['{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}', BUSY],
    [anthropic(500, "api_error", "Internal server error"), `${SERVER} (500)`],
    [anthropic(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), LONG],
    [anthropic(413, "request_too_large", "Request exceeds the maximum size"), LONG],
    [
      anthropic(
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      ),
      CREDIT,
    ],
    [
      anthropic(
        400,
        "invalid_request_error",
        "messages.3.content.0.image.source.base64: image exceeds 5 MB maximum: 6400000 bytes > 5242880 bytes",
      ),
      PICTURE,
    ],
    [anthropic(400, "invalid_request_error", "Could not process image"), PICTURE],
    [
      anthropic(400, "invalid_request_error", "messages.4: `tool_use` ids must be unique"),
      "the provider refused the request (400): messages.4: `tool_use` ids must be unique",
    ],
    ["The model refused to complete the request", "it refused"],
    ["Unhandled stop reason: model_context_window_exceeded", LONG],
    ["Provider stopped with: sensitive", FILTER],
    ["Anthropic stream ended before message_stop", BROKEN],
    // OpenAI
    [
      openai(
        401,
        "Incorrect API key provided: sk-proj-abcdefgh1234567890. You can find your API key at https://platform.openai.com/account/api-keys.",
        "invalid_api_key",
      ),
      `${KEY} (401)`,
    ],
    [
      openai(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
      ),
      CREDIT,
    ],
    [
      openai(
        429,
        "Rate limit reached for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Used 29000.",
        "rate_limit_exceeded",
      ),
      `${RATE} (429)`,
    ],
    [
      openai(404, "The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
      "the provider does not know the model “gpt-9”",
    ],
    [
      openai(
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "context_length_exceeded",
      ),
      LONG,
    ],
    [
      openai(403, "Country, region, or territory not supported", "unsupported_country_region_territory"),
      `${ACCESS} (403)`,
    ],
    [
      'OpenAI API error (500): {"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}',
      `${SERVER} (500)`,
    ],
    [
      "Error Code server_error: An error occurred while processing your request. You can retry your request, or contact us.",
      SERVER,
    ],
    ["Provider finish_reason: content_filter", FILTER],
    ["Response incomplete: content_filter", FILTER],
    ["Provider finish_reason: weird_reason", "it stopped early (weird_reason)"],
    ["Stream ended without finish_reason", BROKEN],
    // Google
    [
      '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}',
      `${KEY} (400)`,
    ],
    [
      JSON.stringify({
        error: {
          message: `${JSON.stringify(JSON.parse(google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")), undefined, 2)}\n`,
          code: 503,
          status: "Service Unavailable",
        },
      }),
      `${BUSY} (503)`,
    ],
    [
      google(
        404,
        "NOT_FOUND",
        "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
      ),
      "the provider does not know the model “gemini-9”",
    ],
    [
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      ),
      LONG,
    ],
    [
      google(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
      ),
      CREDIT,
    ],
    [
      google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
      `${ACCESS} (400)`,
    ],
    [
      `[${google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")}]`,
      `${KEY} (401)`,
    ],
    // OpenRouter
    [openai(401, "No auth credentials found", "401"), NO_KEY],
    [openai(401, "User not found.", "401"), `${KEY} (401)`],
    [
      openai(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits", "402"),
      CREDIT,
    ],
    [
      openai(
        402,
        "This request requires more credits, or fewer max_tokens. You can only afford 1000.",
        "402",
      ),
      CREDIT,
    ],
    [
      '429: {"message":"Provider returned error","code":429,"metadata":{"raw":"qwen/qwen3:free is temporarily rate-limited upstream.","provider_name":"Chutes"}}',
      `${RATE} (429)`,
    ],
    [
      '400: {"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"strange thing happened\\"}}"}}\n{"error":{"message":"strange thing happened"}}',
      "the provider refused the request (400): strange thing happened",
    ],
    [openai(404, "No endpoints found for foo/bar.", "404"), "the provider does not know the model “foo/bar”"],
    [
      openai(404, "No endpoints found that support tool use.", "404"),
      "the model cannot use tools, which the agent needs",
    ],
    // Amazon
    ["Throttling error: Too many tokens, please wait before trying again.", RATE],
    ["Validation error: The provided model identifier is invalid.", "the provider does not know the model"],
    ["Validation error: Input is too long for requested model.", LONG],
    ["Service unavailable: Bedrock is unable to process your request.", BUSY],
    ["UnrecognizedClientException: The security token included in the request is invalid.", KEY],
    ["ExpiredTokenException: The security token included in the request is expired", KEY],
    ["AccessDeniedException: You don't have access to the model with the specified model ID.", ACCESS],
    ["Could not load credentials from any providers", NO_KEY],
    [
      '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      ACCESS,
    ],
    // Ollama, llama.cpp, vLLM, LiteLLM, z.ai, ChatGPT
    [
      openai(404, 'model "llama9" not found, try pulling it first', "404"),
      "the provider does not know the model “llama9”",
    ],
    [
      openai(400, "registry.ollama.ai/library/gemma3:4b does not support tools", "400"),
      "the model cannot use tools, which the agent needs",
    ],
    [
      '400: {"error":{"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_ctx":8192}}',
      LONG,
    ],
    [
      '{"object":"error","message":"tool choice requires --enable-auto-tool-choice","type":"BadRequestError","code":400}',
      "the provider refused the request (400): tool choice requires --enable-auto-tool-choice",
    ],
    [
      "litellm.BadRequestError: OpenAIException - {'error': {'message': 'a bad thing', 'type': 'x'}}",
      "the provider refused the request: a bad thing",
    ],
    ['{"code":"1261","message":"Prompt too long"}', LONG],
    ["You have hit your ChatGPT usage limit (plus plan). Try again in ~120 min.", CREDIT],
    // Connections
    [
      "Connection error.: connect ECONNREFUSED 127.0.0.1:11434",
      "nothing answers at the provider's address (127.0.0.1:11434)",
    ],
    [
      "Connection error.: connect ECONNREFUSED ::1:8080",
      "nothing answers at the provider's address (::1:8080)",
    ],
    [
      "fetch failed: getaddrinfo ENOTFOUND api.anthropic.com",
      "the provider's address was not found (api.anthropic.com)",
    ],
    [
      "fetch failed: getaddrinfo EAI_AGAIN api.openai.com",
      "the provider's address was not found (api.openai.com)",
    ],
    ["connect ENETUNREACH 2606:4700::1:443 - Local (:::0)", "evie's machine has no way to the provider"],
    ["connect ETIMEDOUT 1.2.3.4:443", LATE],
    ["Request timed out.", LATE],
    ["terminated: Body Timeout Error", LATE],
    ["Connection error.", BROKEN],
    ["read ECONNRESET", BROKEN],
    ["terminated: other side closed", BROKEN],
    [
      "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
      BROKEN,
    ],
    ["Connection error.: self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN)", TLS],
    ["Connection error.: unable to verify the first certificate", TLS],
    ["Connection error.: certificate has expired (CERT_HAS_EXPIRED)", TLS],
    ["write EPROTO 4017:error:0A00010B:SSL routines:ssl3_get_record:wrong version number", TLS],
    // Proxies and what answers in their place
    [`502 ${page("502 Bad Gateway")}`, `${SERVER} (502)`],
    [page("502 Bad Gateway"), `${SERVER} (502)`],
    [`504 ${page("api.x.com | 504: Gateway time-out")}`, `${LATE} (504)`],
    [`403 ${page("Just a moment...")}`, `${ACCESS} (403)`],
    [`404 ${page("404 Not Found")}`, "nothing is at the model's address (“404 Not Found”)"],
    [page("Hotel Wi-Fi &amp; more"), "a web page came in place of an answer (“Hotel Wi-Fi & more”)"],
    ["<html><body>oops</body></html>", "a web page came in place of an answer"],
    ["407 Proxy Authentication Required", "the proxy of evie's machine let nothing through"],
    ["Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", RUBBISH],
    ["Error reading response: malformed server-sent event JSON.", RUBBISH],
    [
      'Could not parse Anthropic SSE event ping: Unexpected end of JSON input; data={"type":"pi; raw=data: {"type":"pi',
      RUBBISH,
    ],
    // Nothing but a status
    ["401 status code (no body)", `${KEY} (401)`],
    ["403 status code (no body)", `${ACCESS} (403)`],
    ["404 status code (no body)", "the provider has nothing at the model's address (404)"],
    ["429 Too Many Requests", `${RATE} (429)`],
    ["500 status code (no body)", `${SERVER} (500)`],
    ["503 status code (no body)", `${BUSY} (503)`],
    ["400 status code (no body)", "the provider refused the request (400)"],
    // The agent's own
    ["Invalid string length", "this conversation has become too long for the agent"],
    ["ENOSPC: no space left on device, write", "the disk of evie's machine is full"],
    [
      "EACCES: permission denied, open '/x/s.jsonl'",
      "the agent could not use a file of its own: EACCES: permission denied, open '/x/s.jsonl'",
    ],
    ["No API key for provider: anthropic", NO_KEY],
    // Nothing that says anything
    ["", "it gave no reason"],
    ["{}", "it gave no reason"],
    ["Unknown: UnknownError", "it gave no reason"],
    ["An unknown error occurred", "it gave no reason"],
  ])("%j", (text, what) => {
    expect(explainError(text).what).toBe(what);
  });
});

test.each([
  "the weather is bad",
  "Your workspace was archived by its admin.",
  "Free trial ends today – see example.com/plans for 3 < 4 reasons",
])("what nobody foresaw is shown as it is: %s", (text) => {
  expect(explainError(text)).toEqual({ what: text, advice: "" });
});

test("of JSON that was cut the message is read, and cut in its turn", () => {
  const { what } = explainError(`400: {"message":"a long ${"way ".repeat(2_000)}... [truncated 100 chars]`);
  expect(what).toMatch(/^the provider refused the request \(400\): a long (?:way ?)+…$/);
  expect(what.length).toBeLessThan(200);
});

test("the frames of a stack are left out", () => {
  expect(explainError("Error: boom\n    at foo (/x/y.js:1:2)\n    at async /x/z.js:3:4").what).toBe(
    "Error: boom",
  );
});

test.each([
  [anthropic(401, "authentication_error", "no"), "Check it on evie's machine: run `pi` there."],
  [anthropic(529, "overloaded_error", "Overloaded"), "Wait a minute, then send the message again."],
  [
    anthropic(400, "x", "prompt is too long"),
    "Send /clear for a new session, or ask with less text and fewer pictures.",
  ],
  ["You have hit your usage limit. Try again in ~120 min.", "The provider says: try again in ~120 min."],
  ["429: Rate limit reached. Please try again in 1.2s. Visit us.", "The provider says: try again in 1.2s."],
  [
    `Server requested 3600s retry delay (max: 60s). ${anthropic(429, "rate_limit_error", "x")}`,
    "Send the message again in 60 minutes.",
  ],
])("%j says what to do", (text, advice) => {
  expect(explainError(text).advice).toBe(advice);
});

test.each([
  ["SAFETY", FILTER],
  ["RECITATION", FILTER],
  ["OTHER", "it stopped early (other)"],
  ["model_context_window_exceeded", LONG],
])("where the error says nothing, the provider's own word %s for the stop does", (stop, what) => {
  expect(explainError("An unknown error occurred", stop).what).toBe(what);
});

test("a refusal is told with the model's own words for it", () => {
  expect(explainError("I cannot help with locks.", "refusal").what).toBe(
    "it refused: I cannot help with locks.",
  );
});

describe("whatever a provider says", () => {
  const words = fc.string({ unit: "binary", maxLength: 300 });
  const status = fc.constantFrom("", "401 ", "502: ", "OpenAI API error (429): ", "Error: ");
  const json = fc.tuple(words, words, fc.nat(1_000)).map(([message, type, cut]) => {
    const whole = JSON.stringify({ error: { message, type, details: [{ reason: message }] } });
    return cut < 500 ? whole.slice(0, cut) : whole;
  });
  const html = words.map(
    (title) => `<html><head><title>${title}</title></head><body><p>${title}</p></body></html>`,
  );
  const error = fc.tuple(status, fc.oneof(words, json, html)).map((parts) => parts.join(""));

  test("a person reads one whole line without tags and JSON, that has an end and is not cut in its advice", () => {
    fc.assert(
      fc.property(error, (text) => {
        const line = reasonOf(text);
        expect(line).not.toMatch(/[\n\r\u2028\u2029\p{Cs}]|\{"|<\/?[a-z]/u);
        expect(line.length).toBeGreaterThan(0);
        const { what, advice } = explainError(text);
        expect(line.endsWith(advice)).toBe(true);
        expect(what).not.toBe("");
      }),
    );
  });
});

describe("keys are hidden", () => {
  test.each([
    "sk-proj-abcdefgh1234567890ABCDEFGH",
    "sk-ant-api03-abcdefgh_1234567890-XYZ",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "Bearer abcdefgh1234567890abcdef",
    "?key=abcdefgh1234567890abcdef",
    '"api_key": "abcdefgh1234567890abcdef"',
    "x-api-key: abcdefgh1234567890abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  ])("%s", (key) => {
    const masked = maskKeys(`before ${key} after`);
    expect(masked).toContain("<key>");
    expect(masked).not.toMatch(/1234567890|OiIxIn0/);
    expect(masked).toMatch(/^before .* after$/);
  });

  test("in what is shown, and in the log, where the rest of an error stands up to 4,000 characters", () => {
    const raw = `odd thing with sk-proj-abcdefgh1234567890 ${"<p>".repeat(3_000)}`;
    expect(reasonOf(raw)).not.toContain("abcdefgh");
    const message = { role: "assistant", content: [], stopReason: "error", errorMessage: raw } as const;
    const logged = errorForLog({ type: "message_end", message }) ?? "";
    expect(logged).toContain("odd thing with <key> <p>");
    expect(logged).toHaveLength(4_000);
    expect(errorForLog({ type: "message_end", message: { ...message, stopReason: "stop" } })).toBeUndefined();
  });
});

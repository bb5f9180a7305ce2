/** A refusal as Telegram words it; the server answers `{ ok: false, error_code, description, parameters? }`. */
export class ApiError extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;
  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.name = "ApiError";
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export function badRequest(what: string): ApiError {
  return new ApiError(400, `Bad Request: ${what}`);
}

export function tooManyRequests(retryAfter: number): ApiError {
  return new ApiError(429, `Too Many Requests: retry after ${retryAfter}`, retryAfter);
}

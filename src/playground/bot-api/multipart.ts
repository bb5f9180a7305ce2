import type { Upload } from "./params.ts";

export interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly uploads: ReadonlyMap<string, Upload>;
}

/**
 * Reads a multipart/form-data body; undefined when it is none or is not whole. Takes names without quotation
 * marks and in plain UTF-8, as Telegram's server does: grammY sends file names so, and `formData()` refuses them.
 */
export function parseMultipart(body: Buffer, contentType: string): Form | undefined {
  const match = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return undefined;
  const fields: Record<string, string> = {};
  const uploads = new Map<string, Upload>();

  // The first delimiter has no line break in front of it; with one put there all delimiters look the same.
  const whole = Buffer.concat([Buffer.from("\r\n"), body]);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let at = whole.indexOf(delimiter);
  while (at >= 0) {
    const start = at + delimiter.length;
    if (whole.subarray(start, start + 2).toString("latin1") === "--") return { fields, uploads };
    const next = whole.indexOf(delimiter, start);
    const headersEnd = whole.indexOf("\r\n\r\n", start);
    if (next < 0 || headersEnd < 0 || headersEnd > next) return undefined;
    const headers = whole.subarray(start, headersEnd).toString("utf8");
    const content = whole.subarray(headersEnd + 4, next);
    const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
    const name = parameter(disposition, "name");
    const fileName = parameter(disposition, "filename");
    if (name === undefined) return undefined;
    if (fileName === undefined) fields[name] = content.toString("utf8");
    else {
      const type = /^content-type:\s*(\S+)/im.exec(headers)?.[1] ?? "";
      uploads.set(name, { name: fileName, type, bytes: new Uint8Array(content) });
    }
    at = next;
  }
  return undefined;
}

function parameter(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\r\\n]*))`, "i").exec(disposition);
  return match?.[1]?.replace(/\\(.)/g, "$1") ?? match?.[2]?.trim();
}

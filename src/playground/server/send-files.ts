import type { Form } from "../bot-api/multipart.ts";
import type { Upload } from "../bot-api/params.ts";
import type { AlbumMember, Person, SayOptions } from "../bot-api/person.ts";
import { LARGEST_FILE } from "../wire.ts";
import { pictureType } from "./file-type.ts";
import { Refusal } from "./refusal.ts";

/** Telegram's limits: members of an album, characters of a caption, bytes of a photo. */
const ALBUM = 10;
const LONGEST_CAPTION = 1024;
const LARGEST_PHOTO = 10 * 2 ** 20;

type Kind = NonNullable<AlbumMember["kind"]>;

/**
 * Sends the files of a form as a client does: pictures and films as albums of ten, then the rest, a caption with the
 * first. Fields: `caption`, `replyTo`, `as` (`files` sends everything as documents), and `<name>.size` with the
 * width and height of the picture in `<name>`, such as `800x600`.
 */
export async function sendFiles(person: Person, { fields, uploads }: Form): Promise<void> {
  const replyTo = Number(fields["replyTo"] ?? "NaN");
  const reply: SayOptions = Number.isSafeInteger(replyTo) ? { reply_to: replyTo } : {};
  const caption = (fields["caption"] ?? "").trim();
  for (const { name, bytes } of uploads.values())
    if (bytes.length > LARGEST_FILE) throw new Refusal(413, `“${name}” is larger than 50 MB.`);

  const files = [...uploads].map(([part, upload]) => ({
    upload,
    kind: fields["as"] === "files" ? ("document" as const) : kindOf(upload),
    size: /^(\d{1,5})x(\d{1,5})$/.exec(fields[`${part}.size`] ?? ""),
  }));
  const groups = [
    files.filter(({ kind }) => kind === "photo" || kind === "video"),
    files.filter(({ kind }) => kind === "audio"),
    files.filter(({ kind }) => kind === "document"),
  ].flatMap((group) => inTens(group));

  let words = caption.length <= LONGEST_CAPTION ? caption : "";
  for (const group of groups) {
    const members = group.map(({ upload, kind, size }, index) => ({
      kind,
      bytes: upload.bytes,
      ...(kind === "photo" ? {} : { name: upload.name, mime: upload.type }),
      ...(size === null ? {} : { width: Number(size[1]), height: Number(size[2]) }),
      ...(index === 0 && words !== "" ? { caption: words } : {}),
    }));
    words = "";
    const [only] = members;
    if (members.length > 1) await person.sendAlbum(members, reply);
    else if (only !== undefined) sendOne(person, only, reply);
  }
  if (caption.length > LONGEST_CAPTION) await person.say(caption, reply);
}

function sendOne(
  person: Person,
  { kind, bytes, ...about }: AlbumMember & { readonly kind: Kind },
  reply: SayOptions,
) {
  const options = { ...about, ...reply };
  switch (kind) {
    case "photo":
      return person.sendPhoto(bytes, options);
    case "video":
      return person.sendVideo(bytes, options);
    case "audio":
      return person.sendAudio(bytes, options);
    case "document":
      return person.sendDocument(bytes, options);
  }
}

function kindOf({ type, bytes }: Upload): Kind {
  const picture = pictureType(bytes);
  if (picture !== undefined && picture !== "image/gif" && bytes.length <= LARGEST_PHOTO) return "photo";
  if (type.startsWith("video/")) return "video";
  return type.startsWith("audio/") ? "audio" : "document";
}

function inTens<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / ALBUM) }, (_, index) =>
    items.slice(index * ALBUM, (index + 1) * ALBUM),
  );
}

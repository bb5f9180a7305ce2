import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { FolderError } from "../domain/sessions.ts";

/**
 * The folder that `wanted` names, seen from the workspace. Throws a FolderError unless it is a folder inside it, with
 * links followed: the workspace is where sessions work, and a request must not begin one in another person's folder.
 */
export function folderInside(workspace: string, wanted: string): string {
  const folder = resolve(workspace, wanted);
  let inside: string;
  try {
    if (!statSync(folder).isDirectory()) throw new Error("it is no folder");
    inside = relative(realpathSync(workspace), realpathSync(folder));
  } catch {
    throw new FolderError(folder, `There is no folder ${folder}. Make it first, or name another one.`);
  }
  if (inside === ".." || inside.startsWith("../") || isAbsolute(inside))
    throw new FolderError(folder, `${folder} is outside the workspace. Name a folder inside ${workspace}.`);
  return folder;
}

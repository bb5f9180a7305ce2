import { useEffect, useState } from "preact/hooks";

/** A file of the server's, which it gives to who has the key: an `<img>` or a link could not bring that along. */
export interface Fetched {
  /** Where the page finds it for as long as the component is shown; undefined until it has come. */
  readonly url: string | undefined;
  /** Why it did not come, as a sentence for the person. */
  readonly trouble: string | undefined;
}

/** Fetches a file once `wanted`, and lets go of it with the component. */
export function useFetched(
  path: string,
  fetchFile: (path: string) => Promise<Blob>,
  wanted: boolean,
): Fetched {
  const [fetched, setFetched] = useState<Fetched>({ url: undefined, trouble: undefined });
  useEffect(() => {
    if (!wanted) return undefined;
    let url: string | undefined;
    let isGone = false;
    fetchFile(path).then(
      (file) => {
        if (isGone) return;
        url = URL.createObjectURL(file);
        setFetched({ url, trouble: undefined });
      },
      (error: unknown) => {
        const trouble = error instanceof Error ? error.message : String(error);
        if (!isGone) setFetched({ url: undefined, trouble });
      },
    );
    return () => {
      isGone = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [path, fetchFile, wanted]);
  return fetched;
}

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** How far outside of what is seen something counts as nearby. */
const MARGIN = "600px";

/** Tells whether the element has been seen, or nearly. What is never scrolled to need not be fetched. */
export function useNearby(element: RefObject<Element | null>): boolean {
  const [isNearby, setNearby] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null || isNearby) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNearby(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, isNearby]);
  return isNearby;
}

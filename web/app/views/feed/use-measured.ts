import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FeedView } from './feed-view.ts';

/** Returns a reference for the element of a row, whose height is measured. */
export function useMeasured<Own extends HTMLElement>(view: FeedView): RefObject<Own | null> {
  const own = useRef<Own>(null);
  useLayoutEffect(() => (own.current === null ? undefined : view.observe(own.current)), []);
  return own;
}

export interface Scope {
  readonly signal?: AbortSignal | undefined;
  readonly ms?: number;
  /** Acts that may be ended together. */
  readonly among?: Set<AbortController>;
}

/**
 * Acts with a signal of its own, which is aborted with `signal` or after `ms`. Nothing is left
 * behind at a signal that lives longer than the act.
 */
export async function scoped<Result>(
  { signal, ms, among }: Scope,
  act: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const forward = () => own.abort(signal?.reason);
  const late = () => own.abort(new Error(`no answer within ${ms} ms`));
  signal?.throwIfAborted();
  signal?.addEventListener('abort', forward);
  among?.add(own);
  const timer = ms === undefined ? undefined : setTimeout(late, ms);
  try {
    return await act(own.signal);
  } finally {
    clearTimeout(timer);
    among?.delete(own);
    signal?.removeEventListener('abort', forward);
  }
}

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { link } from './live.ts';

/** An answer of the server, or why there is none. */
export type Asked<Value> =
  | { readonly value: Value; readonly fault: null }
  | { readonly value: Value | null; readonly fault: string | null };

const NOT_YET = { value: null, fault: null };

async function request<Value>(path: string, init?: RequestInit): Promise<Value> {
  const reply = await fetch(`/console/api/${path}`, init);
  if (reply.status === 401) link.value = 'logged out';
  const body = (await reply.json()) as Value & { readonly refusal?: string };
  if (!reply.ok) throw new Error(body.refusal ?? `The server answered ${reply.status}`);
  return body;
}

/** Asks for something to be done; rejects with the refusal. */
export const post = <Value>(path: string, body: unknown): Promise<Value> =>
  request<Value>(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

type Lines = readonly Readonly<Record<string, unknown>>[];

/** Runs a command of the server, as the command line does. */
export const act = async (command: string, args: object): Promise<Lines> =>
  (await post<{ lines: Lines }>('act', { command, args })).lines;

export interface Polled<Value> {
  readonly asked: Asked<Value>;
  /** Asks now: something was changed. */
  readonly refresh: () => void;
}

/** Asks for a path while the component is shown, again and again. */
export function usePolled<Value>(path: string | null, everyMs: number): Polled<Value> {
  const asked = useMemo<Signal<Asked<Value>>>(() => signal(NOT_YET), [path]);
  const refresh = useMemo(
    () => () => {
      if (path === null) return Promise.resolve();
      return request<Value>(path).then(
        (value) => {
          asked.value = { value, fault: null };
        },
        (error: Error) => {
          asked.value = { value: asked.value.value, fault: error.message };
        },
      );
    },
    [asked, path],
  );
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const ask = () =>
      refresh().then(() => {
        if (!isOver) timer = window.setTimeout(ask, everyMs);
      });
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [refresh, everyMs]);
  return { asked: asked.value, refresh: () => void refresh() };
}

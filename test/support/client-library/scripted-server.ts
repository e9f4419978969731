import type { ChatEvent, SocketClass } from '@confab/client';

/** A server whose every answer and frame a test decides. */
export interface ScriptedServer {
  readonly options: { readonly fetch: typeof fetch; readonly WebSocket: SocketClass };
  /** The sockets that were opened, the newest last. */
  readonly sockets: ScriptedSocket[];
  /** The requests by HTTP: method and path. */
  readonly requests: string[];
  /** The credentials that the last request by HTTP was made with. */
  readonly last: { headers: Record<string, string>; credentials: string };
  /** Answers the next requests of a path, instead of the usual answer. */
  answer(path: string, ...answers: readonly Answer[]): void;
  /** Resolves when so many sockets were opened, with the last of them. */
  socket(count: number): Promise<ScriptedSocket>;
}

type Answer = 'no network' | { readonly status: number; readonly body: object | string };

export interface ScriptedSocket {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly sent: Record<string, unknown>[];
  readonly isClosed: boolean;
  /** Greets, as to a queue that goes on. */
  greet(): void;
  say(frame: object | string): void;
  /** Begins to close, which `end` ends. */
  closing(): void;
  end(code: number, reason?: string): void;
}

export function scriptedServer(): ScriptedServer {
  const sockets: ScriptedSocket[] = [];
  const requests: string[] = [];
  const last: ScriptedServer['last'] = { headers: {}, credentials: '' };
  const answers = new Map<string, Answer[]>();
  let queues = 0;

  class FakeSocket {
    binaryType = '';
    readyState = 1;
    onopen: ((event: unknown) => void) | null = null;
    onmessage: ((event: unknown) => void) | null = null;
    onclose: ((event: unknown) => void) | null = null;
    onerror: ((event: unknown) => void) | null = null;
    readonly sent: Record<string, unknown>[] = [];
    readonly url: string;
    readonly protocols: readonly string[];
    isClosed = false;

    constructor(url: string, protocols: string[]) {
      this.url = url;
      this.protocols = protocols;
      sockets.push(this);
      queueMicrotask(() => this.onopen?.({}));
    }

    send(data: string | Uint8Array) {
      this.sent.push(JSON.parse(String(data)) as Record<string, unknown>);
    }

    close() {
      this.isClosed = true;
    }

    greet() {
      this.say({ type: 'hello', resumed: true });
    }

    say(frame: object | string) {
      this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
    }

    closing() {
      this.readyState = 2;
    }

    end(code: number, reason = '') {
      this.readyState = 3;
      this.onclose?.({ code, reason });
    }
  }

  const usual = (path: string): Answer => {
    if (path === '/register') {
      queues += 1;
      return { status: 200, body: success({ queue_id: `q${queues}`, last_event_id: 0 }) };
    }
    return { status: 200, body: success(path === '/events' ? { events: [] } : {}) };
  };

  const fakeFetch = async (address: string, init: ScriptedServer['last'] & { method: string }) => {
    Object.assign(last, init);
    const path = new URL(address).pathname.replace('/api/v1', '');
    requests.push(`${init.method} ${path}`);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const answer = answers.get(path)?.shift() ?? usual(path);
    if (answer === 'no network') throw new TypeError('fetch failed');
    const { status, body } = answer;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  };

  return {
    options: { fetch: fakeFetch as unknown as typeof fetch, WebSocket: FakeSocket },
    sockets,
    requests,
    last,
    answer: (path, ...next) => void answers.set(path, [...next]),
    async socket(count) {
      while (sockets.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
      const found = sockets[count - 1];
      if (found === undefined) throw new Error('there is no such socket');
      return found;
    },
  };
}

const success = (fields: object) => ({ result: 'success', msg: '', ...fields });

export const refusal = (status: number, code: string, fields: object = {}): Answer => ({
  status,
  body: { result: 'error', msg: `refused: ${code}`, code, ...fields },
});

/** Events of messages with these ids. */
export const eventsOf = (...ids: readonly number[]) => ({
  type: 'events',
  events: ids.map((id) => ({ id, type: 'message', message: { id } }) as unknown as ChatEvent),
});

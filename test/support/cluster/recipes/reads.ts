import type { Address } from '../../../../bench/load/stream.ts';
import { type Caller, openRoaming } from '../nodes-of-load.ts';

/** Clients that stay with one node each, and read the newest messages there again and again. */
export interface Reads {
  /** Ends them. Resolves with how often a read showed less than an earlier one at that node. */
  stop(): Promise<number>;
}

interface Place {
  readonly channel: string;
  readonly topic: string;
}

const PAUSE_MS = 25;
const ANSWER_MS = 2_000;

export function startReads(caller: Caller, { channel, topic }: Place): Reads {
  let isOver = false;
  let backwards = 0;
  let answers = 0;
  const narrow = JSON.stringify([
    ['channel', channel],
    ['topic', topic],
  ]);
  const range = { anchor: 'newest', num_before: '5', num_after: '0', narrow };
  const path = `/messages?${new URLSearchParams(range)}`;

  async function read(node: Address) {
    const roaming = openRoaming({ ...caller, nodes: [node] }, 0);
    let seen: readonly number[] = [];
    while (!isOver) {
      const reply = await roaming.ask({ method: 'GET', path }, ANSWER_MS);
      if (reply?.status === 200) {
        answers += 1;
        const page = reply.body as unknown as { readonly messages: readonly { id: number }[] };
        const ids = page.messages.map(({ id }) => id);
        if ((ids.at(-1) ?? 0) < (seen.at(-1) ?? 0)) backwards += 1;
        // The messages that were there before are there still.
        const first = ids[0] ?? Number.POSITIVE_INFINITY;
        if (seen.some((id) => id >= first && !ids.includes(id))) backwards += 1;
        seen = ids;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    roaming.close();
  }

  const done = Promise.all(caller.nodes.map(read));
  done.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await done;
      if (answers === 0) throw new Error('Nothing was read');
      return backwards;
    },
  };
}

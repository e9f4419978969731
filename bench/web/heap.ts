import { countersOf, drawn, type Reader } from './browser.ts';
import { type Say, shows } from './incoming.ts';

/** The page after so many messages, without what the collector takes. */
export interface HeapPoint {
  readonly messages: number;
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export interface HeapGrowth {
  readonly points: readonly HeapPoint[];
  /** Bytes that each message adds, from the point on at which the window is full. */
  readonly slope: number;
}

/** Sends messages as fast as the page shows them, and looks at its heap now and then. */
export async function growHeap(
  reader: Reader,
  say: Say,
  plan: {
    readonly messages: number;
    /** Messages after which the page keeps no more of them. */
    readonly fullAfter: number;
    readonly portion: number;
    readonly lookEvery: number;
    /** Reads what flew by unseen, as who looks on would have: what is unread is kept by its id. */
    readonly read: () => Promise<unknown>;
    readonly onPart?: (part: number) => void;
  },
): Promise<HeapGrowth> {
  const points: HeapPoint[] = [await look(reader, 0)];
  for (let sent = 0, looked = 0; sent < plan.messages; ) {
    sent += plan.portion;
    await shows(reader, await say(plan.portion));
    if (sent - looked < plan.lookEvery && sent < plan.messages) continue;
    looked = sent;
    await plan.read();
    await reader.page.waitForTimeout(READ_MS);
    points.push(await look(reader, sent));
    plan.onPart?.(sent / plan.messages);
  }
  return { points, slope: slopeOf(points.filter(({ messages }) => messages >= plan.fullAfter)) };
}

/** The event about it is drawn by then. */
const READ_MS = 300;

async function look(reader: Reader, messages: number): Promise<HeapPoint> {
  await drawn(reader);
  // Finalizers of the first collection let go of more.
  for (let time = 0; time < 2; time += 1) await reader.devTools.send('HeapProfiler.collectGarbage');
  const { heapBytes, nodes, listeners } = await countersOf(reader);
  return { messages, heapBytes, nodes, listeners };
}

/** Fits a line through the points: one full heap more or less does not decide. */
export function slopeOf(points: readonly HeapPoint[]): number {
  const mean = (of: (point: HeapPoint) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const middle = mean(({ messages }) => messages);
  const level = mean(({ heapBytes }) => heapBytes);
  const along = points.map(({ messages }) => messages - middle);
  const spread = along.reduce((sum, one) => sum + one * one, 0);
  const rise = points.reduce(
    (sum, { heapBytes }, index) => sum + (along[index] ?? 0) * (heapBytes - level),
    0,
  );
  return spread === 0 ? 0 : rise / spread;
}

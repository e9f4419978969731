import { drawn, firstMessage, follow } from './browser.ts';
import type { BudgetKey } from './budgets.ts';
import { type Calibration, calibrate, medianOf } from './calibration.ts';
import type { Hall } from './hall.ts';
import { growHeap } from './heap.ts';
import { receive, shows } from './incoming.ts';
import {
  firstLoad,
  layoutShift,
  lazyParts,
  loadToMessage,
  type Manifest,
  registerReply,
  scriptToMessage,
  slowTimeToMessage,
  timeToMessage,
} from './loading.ts';
import { goFresh, goLoaded } from './narrows.ts';
import { scrollThrough } from './scrolling.ts';
import { typeAlone, typeDuring, typeNames } from './typing.ts';

/** How much is done of each thing. */
export interface Amounts {
  readonly loads: number;
  readonly narrows: number;
  readonly steps: number;
  readonly jumps: number;
  readonly messages: number;
  readonly rounds: number;
  readonly seconds: number;
}

export const WHOLE_AMOUNTS: Amounts = {
  loads: 7,
  narrows: 20,
  steps: 500,
  jumps: 20,
  messages: 72_000,
  rounds: 3,
  seconds: 60,
};

/** A figure as it was measured, with the loop of the same minute. */
export interface Measured {
  readonly key: BudgetKey;
  readonly value: number;
  readonly calibration: Calibration;
  /** Further figures that were seen with it. */
  readonly note: string;
}

interface Measuring {
  readonly hall: Hall;
  readonly manifest: Manifest;
  readonly amounts: Amounts;
  readonly onPart?: (doing: string, part: number) => void;
  readonly onFound?: (found: readonly Measured[]) => void;
  /** Measures only these sections, while the client is changed. */
  readonly only?: readonly string[] | undefined;
}

type Note = (key: BudgetKey, value: number, note?: string) => void;

/** Measures all budgets, one after the other, in one browser. */
export async function measureAll(measuring: Measuring): Promise<readonly Measured[]> {
  const found: Measured[] = [];
  for (const [doing, section] of Object.entries(ALL)) {
    if (measuring.only?.includes(doing) === false) continue;
    measuring.onPart?.(doing, 0);
    const before = await calibrate(measuring.hall.reader);
    const notes: Omit<Measured, 'calibration'>[] = [];
    await section(measuring, (key, value, note = '') => notes.push({ key, value, note }));
    const after = await calibrate(measuring.hall.reader);
    const calibration = {
      cpuMs: (before.cpuMs + after.cpuMs) / 2,
      clockMs: (before.clockMs + after.clockMs) / 2,
    };
    found.push(...notes.map((note) => ({ ...note, calibration })));
    measuring.onFound?.(found.slice(-notes.length));
    measuring.onPart?.(doing, 1);
  }
  return found;
}

/** Loads the page at a place, so that it keeps nothing of what was measured before. */
async function openAt({ reader }: Hall, hash: string) {
  await follow(reader, hash);
  await reader.page.reload();
  await firstMessage(reader);
  await reader.page.waitForTimeout(SETTLING_MS);
  await drawn(reader);
}

/** The same, at the end of the channel, where new messages show. */
async function openAtEnd(hall: Hall) {
  const { page } = hall.reader;
  await openAt(hall, channelHash(hall));
  const toEnd = page.locator('button.to-end');
  if (await toEnd.isVisible()) await toEnd.click();
  await shows(hall.reader, await hall.say(1));
}

/** A page has loaded its later parts after this. */
const SETTLING_MS = 1_500;

const channelHash = ({ filled }: Hall) =>
  `#narrow/channel/${filled.channelId}-${filled.channelName}`;

const topicHash = (hall: Hall, topic: string) =>
  `${channelHash(hall)}/topic/${encodeURIComponent(topic).replaceAll('%', '.')}`;

const topicsOf = ({ filled }: Hall) => [...filled.topics.keys()].reverse();

async function loading({ hall, manifest, amounts, onPart }: Measuring, note: Note) {
  const { reader } = hall;
  const first = firstLoad(manifest);
  note('firstLoadBytes', first.kib, first.names.join(', '));
  note('firstLoadRequests', first.requests);
  const [largest] = lazyParts(manifest, first);
  note('lazyPartBytes', largest?.[1] ?? 0, largest?.[0]);
  await openAt(hall, topicHash(hall, topicsOf(hall)[0] ?? ''));
  const toMessage = await loadToMessage(reader, manifest);
  note('firstMessageBytes', toMessage.kib, toMessage.names.join(', '));
  note('firstMessageRequests', toMessage.requests);
  const { packed, plain } = await registerReply(reader);
  note('registerBytes', packed, `${plain.toFixed(0)} KiB as JSON`);
  onPart?.('loading', 0.2);
  await timeToMessage(reader, 2);
  note('warmMs', await timeToMessage(reader, amounts.loads));
  note('firstMessageScript', await scriptToMessage(reader, amounts.loads));
  onPart?.('loading', 0.5);
  note('slowMs', await slowTimeToMessage(reader, Math.ceil(amounts.loads / 2)));
  const { score, moved } = await layoutShift(reader);
  note('layoutShift', score, moved);
}

async function narrows({ hall, amounts }: Measuring, note: Note) {
  const hashes = topicsOf(hall).map((topic) => topicHash(hall, topic));
  await openAt(hall, hashes[0] ?? '');
  const loaded = await goLoaded(hall.reader, hashes.slice(0, 2), amounts.narrows);
  const scripts = loaded.map(({ script }) => script);
  note(
    'loadedNarrowScript',
    medianOf(scripts),
    `style and layout ${medianOf(loaded.map(({ style, layout }) => style + layout)).toFixed(1)} ms`,
  );
  await goFresh(hall.reader, hashes.slice(2, 5));
  // Each of them has other messages: there are more of them, so that none decides.
  const fresh = await goFresh(hall.reader, hashes.slice(5, 5 + 2 * amounts.narrows));
  note(
    'freshNarrowScript',
    fresh.workMs,
    `${fresh.shownMs.toFixed(0)} ms by the clock, of which the round trip took ${fresh.roundTripMs.toFixed(0)} ms`,
  );
}

async function scrolling({ hall, amounts, onPart }: Measuring, note: Note) {
  const { ids } = hall.filled;
  await openAt(hall, channelHash(hall));
  const scrolled = await scrollThrough(hall.reader, {
    steps: amounts.steps,
    jumps: Array.from(
      { length: amounts.jumps },
      (_, jump) =>
        `${channelHash(hall)}/near/${ids[Math.floor((jump * ids.length) / amounts.jumps)]}`,
    ),
    stepsAfterJump: 20,
    onPart: (part) => onPart?.('scrolling', part),
  });
  const { script, scriptP95, style, layout, frames, pageElements, feedElements } = scrolled;
  note(
    'scrollScript',
    script,
    `95 of 100 frames below ${scriptP95.toFixed(1)}; style ${style.toFixed(1)}, layout ${layout.toFixed(1)}; ${frames} frames`,
  );
  note('pageElements', pageElements, `${feedElements} of them in the feed`);
  note('longestTask', scrolled.longestTask);
}

async function typing({ hall, amounts }: Measuring, note: Note) {
  await openAt(hall, channelHash(hall));
  const { p50, p95, keys } = await typeNames(hall.reader, amounts.rounds);
  note('keystrokeScript', p95, `50 of 100 keys below ${p50.toFixed(1)}; ${keys} keys`);
}

async function incoming({ hall, amounts }: Measuring, note: Note) {
  await openAtEnd(hall);
  const { work, mainThread, process, events } = await receive(
    hall.reader,
    hall.say,
    amounts.seconds,
  );
  note(
    'incoming',
    100 * work,
    `${(100 * mainThread).toFixed(1)} % with paint, ${(100 * process).toFixed(1)} % with all threads of the page; ${events} events`,
  );
  const alone = await typeAlone(hall.reader, ALONE_MS);
  const during = receive(hall.reader, hall.say, Math.ceil(amounts.seconds / 4));
  const { p50, p95, keys } = await typeDuring(hall.reader, during);
  note(
    'keyWhileIncoming',
    p95,
    `50 of 100 keys within ${p50} ms; without events 95 within ${alone.p95} ms; ${keys} keys`,
  );
}

/** Keys are typed for so long with nothing else, to compare. */
const ALONE_MS = 3_000;

async function heap({ hall, amounts, onPart }: Measuring, note: Note) {
  await openAtEnd(hall);
  const { points, slope } = await growHeap(hall.reader, hall.say, {
    messages: amounts.messages,
    fullAfter: FULL_AFTER,
    portion: 100,
    lookEvery: 2_000,
    read: hall.read,
    onPart: (part) => onPart?.('heap', part),
  });
  const last = points.at(-1);
  const mib = (bytes = 0) => bytes / 1_024 ** 2;
  const full = points.find(({ messages }) => messages >= FULL_AFTER);
  note(
    'heap',
    mib(last?.heapBytes),
    `${mib(points[0]?.heapBytes).toFixed(1)} MiB at first, ${mib(full?.heapBytes).toFixed(1)} with a full window; ` +
      `nodes ${full?.nodes} to ${last?.nodes}, listeners ${full?.listeners} to ${last?.listeners}`,
  );
  note('heapSlope', slope, `over ${(last?.messages ?? 0) - (full?.messages ?? 0)} messages`);
}

/** The window of messages is full, and so is what is kept of rows that have left it. */
const FULL_AFTER = 16_000;

const ALL = { loading, narrows, scrolling, typing, incoming, heap };

/** The parts of a run, in their order. */
export const SECTIONS: readonly string[] = Object.keys(ALL);

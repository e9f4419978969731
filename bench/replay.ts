import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ImportedUser, importUsers, subscribe } from './fixtures/audience.ts';
import { createFiller, requireOwnFileSystem } from './fixtures/full-disk.ts';
import { addressIn } from './fixtures/given.ts';
import {
  channelOf,
  type IrcMessage,
  readIrcMessages,
  usersOfNicks,
  withMention,
} from './fixtures/irc.ts';
import type { FullVerdict } from './load/commands.ts';
import type { ListenerPlan } from './load/listen.ts';
import { startLoadProcess } from './load/load-process.ts';
import type { ReplayMessage, ReplayProgress, ReplayResult } from './load/replay-messages.ts';
import type { Address } from './load/stream.ts';
import { endOnSignals, temporaryDirectory } from './servers/belongings.ts';
import { demoOwner } from './servers/demo.ts';
import { CREDENTIALS_FILE, type RunningServer, startConfab } from './servers/start.ts';
import { print, progressBar, rounded, runMain, table } from './terminal/terminal.ts';

const HELP = `replay: real chat messages, sent at a rate, each listener checked

  npm run replay -- <messages.jsonl.gz> [options]

  --messages <n>       how many of the file               (20000)
  --rate <n>           sends a second                     (500)
  --listeners <n>      half by socket, half by long-poll  (50)
  --kill <n>           kill -9 the server n times         (0)
  --slow <n>           so many of the sockets read nothing for up to 90 s, again and again  (0)
  --fill <n>           fill the disk n times, for 10 s each; needs --data in a file system of its own  (0)
  --channels <n>       spread the days over channels      (1)
  --data <dir>         keep the data here                 (a temporary directory)
  --url <address>      use a running server; needs --credentials, excludes --kill
  --credentials <file> its demo-credentials.json
  --json <file>        write the results there as well
  --help

Ends with 1 unless nothing was lost, repeated, out of order, altered or refused.
Against a running server, --data is its data directory (default: where the credentials lie).`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '500' },
    listeners: { type: 'string', default: '50' },
    kill: { type: 'string', default: '0' },
    slow: { type: 'string', default: '0' },
    fill: { type: 'string', default: '0' },
    channels: { type: 'string', default: '1' },
    data: { type: 'string' },
    url: { type: 'string' },
    credentials: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const listenerCount = Number(values.listeners);
const channelCount = Number(values.channels);
const killCount = Number(values.kill);
const slowCount = Number(values.slow);
const fillCount = Number(values.fill);

/** Between two attempts to start it again. */
const RESTART_DELAY_MS = 500;
/** Longer than a server waits for a socket that takes nothing. */
const PAUSE_MS_MAX = 90_000;

// One message between processes holds this many, to stay small.
const PORTION = 2000;

async function main(): Promise<void> {
  const [path] = positionals;
  if (values.help || path === undefined) return print(HELP);
  if (fillCount > 0) requireOwnFileSystem(values.data);
  const messages = await readIrcMessages(path, Number(values.messages));
  const target = await openTarget();
  try {
    await replayOn(target, messages);
  } finally {
    await target.close();
  }
}

/** The server under replay, its own or somebody's. */
interface Target {
  readonly address: Address;
  readonly data: string;
  readonly credentialsFile: string;
  /** Undefined where the server is not ours to kill. */
  readonly killAndRestart: (() => Promise<void>) | undefined;
  /** When it ended by itself and was started again. */
  readonly ownEnds: readonly number[];
  readonly close: () => Promise<void>;
}

async function openTarget(): Promise<Target> {
  if (values.url === undefined) return await ownServer();
  if (values.credentials === undefined) throw new Error('--url needs --credentials');
  if (killCount > 0) throw new Error('--kill is for a server that the replay starts itself');
  return {
    address: addressIn(values.url),
    data: values.data ?? join(values.credentials, '..'),
    credentialsFile: values.credentials,
    killAndRestart: undefined,
    ownEnds: [],
    close: async () => {},
  };
}

async function ownServer(): Promise<Target> {
  const directory = values.data === undefined ? temporaryDirectory() : undefined;
  const data = directory?.path ?? values.data ?? '';
  let server: RunningServer = await startConfab({ data });
  const { address } = server;
  const ownEnds: number[] = [];
  let isStopping = false;
  let isKilled = false;
  let back: Promise<void> = watched();

  /**
   * Settles when the server has ended and is there again: one that could not commit ends by itself.
   */
  async function watched(): Promise<void> {
    await server.ended;
    if (isStopping) return;
    if (!isKilled) ownEnds.push(performance.now());
    isKilled = false;
    for (let isBack = false; !isBack && !isStopping; ) {
      isBack = await startConfab({ data, port: address.port }).then(
        (started) => {
          server = started;
          return true;
        },
        // While the disk is full it may well not start.
        () => delay(RESTART_DELAY_MS, false),
      );
    }
    back = watched();
  }

  return {
    address,
    data,
    credentialsFile: join(data, CREDENTIALS_FILE),
    killAndRestart: async () => {
      const restarted = back;
      isKilled = true;
      await server.stop('SIGKILL');
      await restarted;
    },
    ownEnds,
    close: async () => {
      isStopping = true;
      await server.stop();
      directory?.remove();
    },
  };
}

async function replayOn(target: Target, messages: readonly IrcMessage[]): Promise<void> {
  const { plan, listeners } = await prepare(target, messages);
  const load = startLoadProcess();
  await load.ask('target', target.address);
  await load.ask('listen', listeners);
  for (let start = 0; start < plan.length; start += PORTION) {
    await load.ask('addMessages', plan.slice(start, start + PORTION));
  }
  const bar = progressBar(plan.length);
  const killer = createKiller(target, plan.length);
  const filler = createFiller(target.data, { times: fillCount, messages: plan.length });
  const result = await load.ask('replay', null, (progress) => {
    bar.set(progress.acknowledged, `${progress.delivered} delivered ${killer.text()}`);
    killer.look(progress);
    filler.look(progress.acknowledged);
  });
  bar.set(result.acknowledged, `${result.delivered} delivered ${killer.text()}`);
  bar.stop();
  await killer.finished();
  await filler.finished();
  const verdict = await load.ask('verdict', null);
  await load.ask('close', null);
  load.stop();
  report(result, verdict, killer.outagesMs);
  if (target.ownEnds.length > 0)
    print(`ended by itself and started again: ${target.ownEnds.length} times`);
  const outcome = { result, verdict, outagesMs: killer.outagesMs, ownEnds: target.ownEnds.length };
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ options: values, ...outcome }, null, 2)}\n`);
  }
  process.exitCode = isFaultless(result, verdict, plan.length) ? 0 : 1;
}

interface Prepared {
  readonly plan: readonly ReplayMessage[];
  readonly listeners: readonly ListenerPlan[];
}

/** Creates the people and channels of the messages, and says who will send what and when. */
async function prepare(target: Target, messages: readonly IrcMessage[]): Promise<Prepared> {
  const counts = new Map<string, number>();
  for (const { nick } of messages) counts.set(nick, (counts.get(nick) ?? 0) + 1);
  const newUsers = usersOfNicks(counts.keys());
  const imported = await importUsers(target.data, [...newUsers.values()]);
  const nicks = [...newUsers.keys()];
  const userOf = new Map(imported.map((user, index) => [nicks[index], user]));
  const owner = demoOwner(target.credentialsFile);
  const channels = [...new Set(messages.map(({ date }) => channelOf(date, channelCount)))];
  await subscribe(target.address, owner, channels, [
    owner.user_id,
    ...imported.map(({ user_id }) => user_id),
  ]);

  // Mentions go mostly to those who talk most, so that listeners get frames that differ.
  const busiest = nicks.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const listeners = busiest.slice(0, listenerCount).map((nick, index): ListenerPlan => {
    const isSlow = index % 2 === 0 && index / 2 < slowCount;
    const transport = index % 2 === 0 ? 'socket' : 'poll';
    return { ...known(userOf, nick), transport, ...(isSlow ? { pausesMs: PAUSE_MS_MAX } : {}) };
  });
  const runName = `replay-${process.pid}-${Date.now()}`;
  const intervalMs = 1000 / Number(values.rate);
  const plan = messages.map(({ date, nick, text }, index): ReplayMessage => {
    const { content, mentionedNick } = withMention(text, newUsers);
    const mentioned = userOf.get(mentionedNick);
    return {
      dueMs: index * intervalMs,
      sender: known(userOf, nick),
      channel: channelOf(date, channelCount),
      topic: date,
      content,
      idempotencyKey: `${runName}-${index}`,
      ...(mentioned ? { mentionedUserId: mentioned.user_id } : {}),
    };
  });
  return { plan, listeners };
}

function known(userOf: ReadonlyMap<string | undefined, ImportedUser>, nick: string): ImportedUser {
  const user = userOf.get(nick);
  if (user === undefined) throw new Error(`no user for ${nick}`);
  return user;
}

interface Killer {
  readonly look: (progress: ReplayProgress) => void;
  readonly text: () => string;
  /** Settles when no restart is under way; throws when one failed. */
  readonly finished: () => Promise<void>;
  readonly outagesMs: readonly number[];
}

// Not always at the same distance from a progress report, so that different moments are hit.
const KILL_DELAY_MS_MAX = 100;

/** Kills the server at even distances along the run. */
function createKiller({ killAndRestart }: Target, messageCount: number): Killer {
  const outagesMs: number[] = [];
  let started = 0;
  let running: Promise<void> | undefined;
  const kill = async () => {
    await delay(Math.random() * KILL_DELAY_MS_MAX);
    const killedMs = performance.now();
    await killAndRestart?.();
    outagesMs.push(performance.now() - killedMs);
    running = undefined;
  };
  return {
    outagesMs,
    text: () => (killCount === 0 ? '' : `killed ${outagesMs.length} of ${killCount}`),
    look: ({ acknowledged }) => {
      if (started >= killCount || running !== undefined) return;
      if (acknowledged < ((started + 1) * messageCount) / (killCount + 1)) return;
      started += 1;
      running = kill();
    },
    finished: async () => await running,
  };
}

function isFaultless(result: ReplayResult, verdict: FullVerdict, messageCount: number): boolean {
  const { lost, repeated, outOfOrder, altered, failures, sent } = verdict;
  const counts = [lost, repeated, outOfOrder, altered, failures.length, result.senderOrderBroken];
  return counts.every((count) => count === 0) && sent === messageCount;
}

function report(result: ReplayResult, verdict: FullVerdict, outagesMs: readonly number[]): void {
  const { sent, delivered, lost, repeated, outOfOrder, altered } = verdict;
  const head = ['sent', 'delivered', 'lost', 'repeated', 'out of order', 'altered'];
  print(`\n${table(head, [[sent, delivered, lost, repeated, outOfOrder, altered]])}`);
  print('\nFrom the time a message was due, ms\n');
  const latencies = [
    ['to its reply', result.reply],
    ['to a delivery', result.delivery],
  ] as const;
  print(
    table(
      ['', 'count', 'p50', 'p99', 'max'],
      latencies.map(([name, { count, p50Ms, p99Ms, maxMs }]) => {
        return [name, count, rounded(p50Ms, 1), rounded(p99Ms, 1), rounded(maxMs, 1)];
      }),
    ),
  );
  const { mentionsSeen, mentionsExpected, reconnects, failures } = verdict;
  print(`\nmentions flagged: ${mentionsSeen} of ${mentionsExpected}`);
  print(`requests sent again: ${result.retried}, listeners reconnected: ${reconnects}`);
  const outages = outagesMs.map((milliseconds) => rounded(milliseconds)).join(', ');
  if (fillCount > 0) print(`disk filled: ${fillCount} times`);
  if (outagesMs.length > 0) print(`killed and back after: ${outages} ms`);
  if (result.senderOrderBroken > 0) print(`against sender order: ${result.senderOrderBroken}`);
  for (const refusal of result.refusals.slice(0, 5)) print(`refused: ${refusal}`);
  for (const failure of failures.slice(0, 5)) print(`listener failed: ${failure}`);
}

endOnSignals();
await runMain(main);

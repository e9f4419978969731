import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ImportedUser, importUsers, subscribe } from './fixtures/audience.ts';
import {
  channelOf,
  type IrcMessage,
  readIrcMessages,
  usersOfNicks,
  withMention,
} from './fixtures/irc.ts';
import { faults } from './fixtures/subject.ts';
import type { FullVerdict } from './load/commands.ts';
import type { ListenerPlan } from './load/listen.ts';
import { startLoadProcess } from './load/load-process.ts';
import type { ReplayMessage, ReplayProgress, ReplayResult } from './load/replay-messages.ts';
import type { Address } from './load/stream.ts';
import { endOnSignals, temporaryDirectory } from './servers/belongings.ts';
import { demoOwner } from './servers/demo.ts';
import { CREDENTIALS_FILE, startConfab } from './servers/start.ts';
import { print, progressBar, rounded, runMain, table } from './terminal/terminal.ts';

const HELP = `replay: real chat messages, sent at a rate, each listener checked

  npm run replay -- <messages.jsonl.gz> [options]

  --messages <n>       how many of the file               (20000)
  --rate <n>           sends a second                     (500)
  --listeners <n>      half by socket, half by long-poll  (50)
  --kill <n>           kill -9 the server n times         (0)
  --channels <n>       spread the days over channels      (1)
  --data <dir>         keep the data here                 (a temporary directory)
  --help

Ends with 1 unless nothing was lost, repeated, out of order, altered or refused.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '500' },
    listeners: { type: 'string', default: '50' },
    kill: { type: 'string', default: '0' },
    channels: { type: 'string', default: '1' },
    data: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const listenerCount = Number(values.listeners);
const channelCount = Number(values.channels);
const killCount = Number(values.kill);

// One message between processes holds this many, to stay small.
const PORTION = 2000;

async function main(): Promise<void> {
  const [path] = positionals;
  if (values.help || path === undefined) return print(HELP);
  const messages = await readIrcMessages(path, Number(values.messages));
  const target = await startTarget(values.data ?? temporaryDirectory().path);
  await replayOn(target, messages);
  // Not by itself: the server and the load process would keep it alive.
  process.exit();
}

/** The server under replay. */
interface Target {
  readonly address: Address;
  readonly data: string;
  readonly killAndRestart: () => Promise<void>;
}

async function startTarget(data: string): Promise<Target> {
  let server = await startConfab({ data });
  const { address } = server;
  return {
    address,
    data,
    killAndRestart: async () => {
      await server.stop('SIGKILL');
      server = await startConfab({ data, port: address.port });
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
  const show = ({ acknowledged, delivered }: ReplayProgress) =>
    bar.set(acknowledged, `${delivered} delivered ${killer.text()}`);
  const result = await load.ask('replay', null, (progress) => {
    show(progress);
    killer.look(progress);
  });
  show(result);
  bar.stop();
  await killer.finished();
  const verdict = await load.ask('verdict', null);
  report(result, verdict, killer.outagesMs);
  const wrong = faultsOf(result, verdict, plan.length);
  for (const sentence of wrong) print(sentence);
  process.exitCode = wrong.length === 0 ? 0 : 1;
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
  const owner = demoOwner(join(target.data, CREDENTIALS_FILE));
  const channels = [...new Set(messages.map(({ date }) => channelOf(date, channelCount)))];
  await subscribe(target.address, owner, channels, [
    owner.user_id,
    ...imported.map(({ user_id }) => user_id),
  ]);

  // Mentions go mostly to those who talk most, so that listeners get frames that differ.
  const busiest = nicks.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const listeners = busiest.slice(0, listenerCount).map((nick, index): ListenerPlan => {
    const transport = index % 2 === 0 ? 'socket' : 'poll';
    return { ...known(userOf, nick), transport };
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

// Not always at the same distance from a progress report, so that different moments are hit.
const KILL_DELAY_MS_MAX = 100;

/** Kills the server at even distances along the run. */
function createKiller({ killAndRestart }: Target, messageCount: number) {
  const outagesMs: number[] = [];
  let started = 0;
  let running: Promise<void> | undefined;
  const kill = async () => {
    await delay(Math.random() * KILL_DELAY_MS_MAX);
    const killedMs = performance.now();
    await killAndRestart();
    outagesMs.push(performance.now() - killedMs);
    running = undefined;
  };
  return {
    outagesMs,
    text: () => (killCount === 0 ? '' : `killed ${outagesMs.length} of ${killCount}`),
    look: ({ acknowledged }: ReplayProgress): void => {
      if (started >= killCount || running !== undefined) return;
      if (acknowledged < ((started + 1) * messageCount) / (killCount + 1)) return;
      started += 1;
      running = kill();
    },
    /** Settles when no restart is under way; throws when one failed. */
    finished: async () => await running,
  };
}

/** A sentence for each thing that must not happen and did. */
function faultsOf(result: ReplayResult, verdict: FullVerdict, messageCount: number) {
  const { senderOrderBroken, refusals } = result;
  return [
    ...faults('replay', verdict),
    ...(senderOrderBroken > 0 ? [`against sender order: ${senderOrderBroken}`] : []),
    ...(verdict.sent < messageCount ? [`not sent: ${messageCount - verdict.sent}`] : []),
    ...refusals.slice(0, 5).map((refusal) => `refused: ${refusal}`),
  ];
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
  const { mentionsSeen, mentionsExpected, reconnects } = verdict;
  print(`\nmentions flagged: ${mentionsSeen} of ${mentionsExpected}`);
  print(`requests sent again: ${result.retried}, listeners reconnected: ${reconnects}`);
  const outages = outagesMs.map((milliseconds) => rounded(milliseconds)).join(', ');
  if (outagesMs.length > 0) print(`killed and back after: ${outages} ms`);
}

endOnSignals();
await runMain(main);

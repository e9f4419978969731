import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { upload, uploadTo } from '../files/uploads.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import type { Hall } from './hall.ts';
import {
  CHANNELS,
  type Channel,
  type Line,
  SPEAKERS,
  type Speaker,
  TALKS,
  type Talk,
} from './lively-talk.ts';

export type Team = Readonly<Record<Speaker, Person>>;

export interface Lively {
  readonly team: Team;
  /** The ids of channels, by their names. */
  readonly channels: Readonly<Record<string, number>>;
  /** The ids of messages, by the beginning of their texts. */
  messageId(beginning: string): number;
}

/**
 * Fills a realm with a small team that is busy. Names, texts and times are always the same: the
 * clock of the server stands still, and is moved before each message.
 */
export async function fillLively({ server, visit }: Hall): Promise<Lively> {
  const { page } = await visit();
  const draw = drawer(page);
  const team = await gather(server, draw);
  const channels = await openChannels(server, team);
  await allow(server, team, channels);
  const ids = new Map<string, number>();
  // The notices of new channels are no news to Noor.
  await succeed(server.post(team.mel, '/mark_all_as_read'));
  for (const talk of TALKS) {
    await hold(server, { team, talk, ids, draw });
    const [name = ''] = talk.at;
    const isLast = CHANNELS.some((one) => one.name === name && one.isArchived === true);
    if (isLast) await succeed(server.delete(team.ona, `/streams/${channels[name]}`));
  }
  await page.close();
  await keep(server, team, ids);
  await change(server, team, ids);
  await present(server, team);
  return {
    team,
    channels,
    messageId(beginning) {
      for (const [text, id] of ids) if (text.startsWith(beginning)) return id;
      return expect.fail(`nobody said ${beginning}`);
    },
  };
}

const JOINERS: readonly Speaker[] = ['tom', 'yuki', 'priya', 'jonas'];

type Draw = (svg: string) => Promise<Buffer>;

/** Draws pictures in a browser: the server itself reads none of this kind. */
const drawer =
  (page: Page): Draw =>
  async (svg) => {
    const [, width = 0, height = 0] = (/width="(\d+)" height="(\d+)"/.exec(svg) ?? []).map(Number);
    await page.setViewportSize({ width, height });
    const html = `<!doctype html><body style="margin: 0">${svg}`;
    await page.goto(`data:text/html;base64,${Buffer.from(html).toString('base64')}`);
    // A window that was just resized has nothing to take a picture of for a frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return await page.screenshot();
  };

async function gather(server: TestServer, draw: Draw): Promise<Team> {
  const { ona } = server.people;
  const team: Partial<Record<Speaker, Person>> = {};
  for (const name of JOINERS) {
    const [line] = await runCommand(server.app.realms, 'user create', {
      realm: 'test',
      email: `${name}@example.com`,
      name: SPEAKERS[name],
      role: 'member',
    });
    const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
    team[name] = { id, apiKey, email: `${name}@example.com`, fullName: SPEAKERS[name] };
  }
  for (const [name, person] of Object.entries(server.people)) {
    const fullName = SPEAKERS[name as Speaker];
    const path = name === 'bot' ? `/bots/${person.id}` : `/users/${person.id}`;
    await succeed(server.patch(ona, path, { full_name: fullName }));
    team[name as Speaker] = { ...person, fullName };
  }
  await succeed(server.patch(ona, '/realm', { name: 'Wayfarer Maps' }));
  const whole = team as Team;
  for (const [name, face] of Object.entries(FACES)) {
    const content = await draw(faceOf(face));
    const as = whole[name as Speaker];
    await succeed(uploadTo(server, as, '/users/me/avatar', { content, filename: 'me.png' }));
  }
  return whole;
}

interface Face {
  readonly back: string;
  readonly skin: string;
  readonly hair: string;
  readonly shirt: string;
}

/** Some have a picture, others their initials. */
const FACES: Readonly<Partial<Record<Speaker, Face>>> = {
  mia: { back: '#f6d7c3', skin: '#f2b99a', hair: '#7a3e1d', shirt: '#c8553d' },
  yuki: { back: '#cfe3f1', skin: '#f0c8a4', hair: '#22252b', shirt: '#2f6f9f' },
  max: { back: '#d9ead3', skin: '#e8b48e', hair: '#c9a24b', shirt: '#4b7a4b' },
  priya: { back: '#e9dcf3', skin: '#b97a52', hair: '#2a1a14', shirt: '#7d4fa0' },
};

const faceOf = ({
  back,
  skin,
  hair,
  shirt,
}: Face) => `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
<rect width="200" height="200" fill="${back}"/>
<path d="M48 108c-8-60 22-84 52-84s60 24 52 84l-14 22H62z" fill="${hair}"/>
<path d="M32 208c4-46 34-60 68-60s64 14 68 60z" fill="${shirt}"/>
<path d="M84 124h32v34a16 12 0 0 1-32 0z" fill="${skin}"/>
<ellipse cx="100" cy="96" rx="38" ry="46" fill="${skin}"/>
<path d="M60 88c2-34 22-46 42-46s38 12 38 46c-10-20-22-26-40-26s-30 6-40 26z" fill="${hair}"/>
</svg>`;

/** The picture that is sent to the topic about profiles. */
const PROFILE = `<svg xmlns="http://www.w3.org/2000/svg" width="920" height="300">
<defs><linearGradient id="g"><stop offset="0" stop-color="#5aa469"/><stop offset=".4" stop-color="#e4b65a"/>
<stop offset=".62" stop-color="#d1495b"/><stop offset="1" stop-color="#5aa469"/></linearGradient></defs>
<rect width="920" height="300" fill="#fbfaf7"/>
<path d="M40 240H880M40 180H880M40 120H880M40 60H880" stroke="#e3e0d8" stroke-width="1.500"/>
<path d="M40 236C140 226 170 204 240 190S330 150 400 118s90-62 160-66 90 56 150 86 90 58 170 70V250H40z" fill="url(#g)" opacity=".22"/>
<path d="M40 236C140 226 170 204 240 190S330 150 400 118s90-62 160-66 90 56 150 86 90 58 170 70" fill="none" stroke="url(#g)" stroke-width="6" stroke-linecap="round"/>
<circle cx="556" cy="52" r="7" fill="#fbfaf7" stroke="#1d1f23" stroke-width="3"/>
</svg>`;

const COLOURS = [
  '#3d9970',
  '#b0508e',
  '#3d7dc4',
  '#c08a2d',
  '#c8553d',
  '#6a5acd',
  '#8a8f3d',
  '#5d6b7a',
  '#4a8fa8',
];

async function openChannels(server: TestServer, team: Team) {
  const { ona, mel } = team;
  const folders = await openFolders(server, team);
  const ids: Record<string, number> = {};
  for (const [index, { name, about, folder, isPrivate }] of CHANNELS.entries()) {
    await succeed(
      server.post(ona, '/users/me/subscriptions', {
        subscriptions: [{ name, description: about }],
        principals: Object.values(team).map(({ id }) => id),
        invite_only: isPrivate === true,
        ...(folder === undefined ? {} : { folder_id: folders.get(folder) }),
      }),
    );
    const { body } = await server.get(ona, '/get_stream_id', { stream: name });
    const id = Number(body.stream_id);
    ids[name] = id;
    const property = { stream_id: id, property: 'color', value: COLOURS[index] };
    const pinned = { stream_id: id, property: 'pin_to_top', value: true };
    const subscription_data = name === 'general' ? [property, pinned] : [property];
    await succeed(server.post(mel, '/users/me/subscriptions/properties', { subscription_data }));
  }
  return ids;
}

/** Makes a group, and has the organization offer what it need not offer. */
async function allow(
  server: TestServer,
  { ona, tom, mel, priya }: Team,
  channels: Readonly<Record<string, number>>,
) {
  const members = [tom.id, mel.id, priya.id];
  const group = { name: 'guides', description: 'Those who lead the rides', members };
  await succeed(server.post(ona, '/user_groups/create', group));
  await succeed(
    server.patch(ona, '/realm', {
      enable_read_receipts: true,
      moderation_request_channel_id: channels['leads'],
      // The clock leaps between messages.
      message_content_edit_limit_seconds: 'unlimited',
    }),
  );
}

/** Somebody finds better words. */
async function change(server: TestServer, { priya }: Team, ids: ReadonlyMap<string, number>) {
  const [changed = 0] = [...ids]
    .filter(([text]) => text.startsWith('About two thirds'))
    .map(([, id]) => id);
  const content = 'Nearly two thirds. I mark the others as `seasonal`.';
  await succeed(server.patch(priya, `/messages/${changed}`, { content }));
}

async function openFolders(server: TestServer, { ona }: Team) {
  const names = [...new Set(CHANNELS.map(({ folder }: Channel) => folder))];
  const folders = new Map<string, number>();
  for (const name of names) {
    if (name === undefined) continue;
    const { body } = await server.post(ona, '/channel_folders/create', { name, description: '' });
    folders.set(name, Number(body.channel_folder_id));
  }
  return folders;
}

interface Holding {
  readonly team: Team;
  readonly talk: Talk;
  readonly ids: Map<string, number>;
  readonly draw: Draw;
}

const isTopic = (at: Talk['at']): at is readonly [string, string] =>
  CHANNELS.some(({ name }) => name === at[0]);

async function hold(server: TestServer, { team, talk, ids, draw }: Holding) {
  for (const [afterMinutes, who, text, reactions = {}] of talk.lines) {
    await server.leap(afterMinutes * 60_000);
    const content = text === 'PICTURE' ? await pictureOf(server, team[who], draw) : text;
    const { body } = await succeed(server.post(team[who], '/messages', sent(talk, team, content)));
    const id = Number(body.id);
    ids.set(text, id);
    await react(server, team, { id, reactions });
    const flag = { messages: [id], op: 'add', flag: 'read' };
    if (talk.isRead || who === 'mel') await server.post(team.mel, '/messages/flags', flag);
  }
}

const sent = ({ at }: Talk, team: Team, content: string) =>
  isTopic(at)
    ? { type: 'stream', to: at[0], topic: at[1], content }
    : { type: 'direct', to: [team.mel.id, ...at.map((name) => team[name as Speaker].id)], content };

async function react(
  server: TestServer,
  team: Team,
  { id, reactions }: { readonly id: number; readonly reactions: NonNullable<Line[3]> },
) {
  for (const [emoji_name, whose] of Object.entries(reactions)) {
    for (const who of whose) {
      await succeed(server.post(team[who], `/messages/${id}/reactions`, { emoji_name }));
    }
  }
}

async function pictureOf(server: TestServer, as: Person, draw: Draw): Promise<string> {
  const content = await draw(PROFILE);
  const { body } = await succeed(upload(server, as, { content, filename: 'profile.png' }));
  // Thumbnails are made while the clock goes on.
  return `[profile.png](${body.url})`;
}

/** Puts aside for Noor: stars, a draft, messages for later, and a reminder. */
async function keep(server: TestServer, { mel, max, tom }: Team, ids: ReadonlyMap<string, number>) {
  const now = Math.floor(server.clock.now() / 1_000);
  const [starred = 0] = [...ids]
    .filter(([text]) => text.startsWith('Good points'))
    .map(([, id]) => id);
  const [asked = 0] = [...ids]
    .filter(([text]) => text.startsWith('Forty have'))
    .map(([, id]) => id);
  const star = { messages: [starred, starred - 4], op: 'add', flag: 'starred' };
  await succeed(server.post(mel, '/messages/flags', star));
  const drafts = [
    {
      type: 'private',
      to: [tom.id],
      topic: '',
      content: 'About Saturday: the road up',
      timestamp: now,
    },
  ];
  await succeed(server.post(mel, '/drafts', { drafts }));
  await succeed(
    server.post(mel, '/scheduled_messages', {
      type: 'direct',
      to: [max.id],
      content: 'Happy birthday, Max! :birthday:',
      scheduled_delivery_timestamp: now + 16 * 3_600,
    }),
  );
  await succeed(
    server.post(mel, '/reminders', {
      message_id: asked,
      scheduled_delivery_timestamp: now + 3 * 3_600,
      note: 'Ask whether a tandem counts',
    }),
  );
}

const HERE: readonly Speaker[] = ['ona', 'mia', 'max', 'priya', 'yuki'];

async function present(server: TestServer, team: Team) {
  for (const name of HERE) {
    await succeed(server.post(team[name], '/users/me/presence', { status: 'active' }));
  }
  const statuses = [
    ['priya', 'Fixing the bridge', 'wrench'],
    ['jonas', 'At the dentist', 'tooth'],
    ['tom', 'Riding until three', 'bicyclist'],
  ] as const;
  for (const [name, status_text, emoji_name] of statuses) {
    await succeed(server.post(team[name], '/users/me/status', { status_text, emoji_name }));
  }
}

async function succeed<Reply extends { readonly status: number; readonly body: unknown }>(
  asked: Promise<Reply>,
): Promise<Reply> {
  const reply = await asked;
  if (reply.status !== 200) expect.fail(JSON.stringify(reply.body));
  return reply;
}

import * as senderLists from '../../../src/operations/search/sender-lists.ts';
import type { Params, Reply } from '../client.ts';
import { gif, png } from '../files/images.ts';
import { uploaded, uploadTo } from '../files/uploads.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/** The parts that a test may want to name of a realm that has something of everything. */
export interface FullRealm {
  /** Paths of files, from the root of the server. */
  readonly files: readonly string[];
  readonly messages: Readonly<Record<string, number>>;
  readonly channels: Readonly<Record<string, number>>;
}

type Do = (as: Person, path: string, params?: Params) => Promise<Reply['body']>;

/**
 * Does in a fresh realm, as its people would, what leaves rows in all tables that archives have.
 */
export async function fillRealm(server: TestServer): Promise<FullRealm> {
  const must =
    (method: 'post' | 'patch' | 'put'): Do =>
    async (as, path, params = {}) => {
      const { status, body } = await server[method](as, path, params);
      if (status !== 200) throw new Error(`${path} ${JSON.stringify(params)}: ${body.msg}`);
      return body;
    };
  const [post, patch, put] = [must('post'), must('patch'), must('put')];
  const channels = await fillChannels(server, post);
  await fillOrganization(server, { post, patch });
  const { messages, files } = await fillMessages(server, { post, patch });
  await fillPeople(server, { post, patch, put, messages, channels });
  await listSenders(server);
  return { files, messages, channels };
}

/** Lists messages by sender, which a realm does when it has thousands more. */
const listSenders = (server: TestServer) =>
  server.perform((tx) => {
    while (senderLists.step(tx, { sizes: { block: 4, listed: 4, rows: 4 } }));
  });

async function fillChannels(server: TestServer, post: Do) {
  const { ona, ada, mel, max, mia } = server.people;
  await server.set('enable_spectator_access', true);
  const subscribe = (as: Person, name: string, who: readonly Person[], params: Params = {}) =>
    post(as, '/users/me/subscriptions', {
      subscriptions: [{ name, description: `about **${name}**` }],
      principals: who.map(({ id }) => id),
      ...params,
    });
  await subscribe(ona, 'open', [ona, ada, mel, max], { is_web_public: true });
  await subscribe(mel, 'secret', [mel, max], {
    invite_only: true,
    history_public_to_subscribers: true,
  });
  await subscribe(ada, 'council', [ada, mia], {
    invite_only: true,
    history_public_to_subscribers: false,
  });
  await subscribe(ada, 'attic', [ada, mel]);
  const names = ['general', 'open', 'secret', 'council', 'attic'];
  const ids: Record<string, number> = {};
  for (const name of names) {
    const asker = name === 'secret' ? mel : ada;
    const { body } = await server.get(asker, '/get_stream_id', { stream: name });
    ids[name] = body.stream_id;
  }
  return ids;
}

interface Acts {
  readonly post: Do;
  readonly patch: Do;
}

async function fillOrganization(server: TestServer, { post, patch }: Acts) {
  const { ona, ada, mel, max, mia } = server.people;
  const file = async (path: string, content: Buffer, filename = 'p.png') => {
    const { status, body } = await uploadTo(server, ada, path, { content, filename });
    if (status !== 200) throw new Error(`${path}: ${body.msg}`);
  };
  await patch(ona, '/realm', {
    description: 'Something of everything',
    waiting_period_threshold: 3,
  });
  await file('/realm/icon', await png(50, 50));
  await file('/realm/logo?night=true', await png(60, 20));
  await file('/realm/emoji/wobble', await gif(30, 30, 3), 'e.gif');
  await file('/realm/emoji/still', await png(30, 30));
  await post(ada, '/realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://x.example/{id}',
  });
  await post(ada, '/realm/playgrounds', {
    name: 'Try',
    pygments_language: 'Python',
    url_template: 'https://try.example/?c={code}',
  });
  await post(ona, '/realm/domains', { domain: 'example.org', allow_subdomains: true });
  await post(ada, '/realm/profile_fields', { name: 'Town', field_type: 1, hint: 'where' });
  await post(ada, '/channel_folders/create', { name: 'Work', description: 'of *all*' });
  await post(ada, '/default_stream_groups/create', {
    group_name: 'start',
    description: 'first',
    stream_names: ['general'],
  });
  const outer = { name: 'outer', description: 'o', members: [mel.id, max.id, mia.id] };
  const { group_id: group } = await post(mel, '/user_groups/create', outer);
  const inner = { name: 'inner', description: 'i', members: [max.id], subgroups: [group] };
  await post(mel, '/user_groups/create', inner);
  await post(ada, '/invites', {
    invitee_emails: 'new@example.com',
    stream_ids: [1],
    invite_expires_in_minutes: 10_000,
  });
  await post(ada, '/invites/multiuse', { stream_ids: [1], invite_expires_in_minutes: null });
}

/** Waits for what a worker does after a commit. */
export async function until(server: TestServer, isDone: () => Promise<boolean>) {
  for (let tries = 0; tries < 2_000; tries += 1) {
    await server.advance(1);
    if (await isDone()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it does not happen');
}

async function fillMessages(server: TestServer, { post, patch }: Acts) {
  const { ada, mel, max, mia, gus, bot } = server.people;
  const say = async (as: Person, to: string, topic: string, content: string): Promise<number> =>
    (await post(as, '/messages', { type: 'stream', to, topic, content })).id;
  const tell = async (as: Person, to: readonly Person[], content: string): Promise<number> =>
    (await post(as, '/messages', { type: 'direct', to: to.map(({ id }) => id), content })).id;
  const text = await uploaded(server, mel, { content: 'some text\n', filename: 'notes.txt' });
  const image = await uploaded(server, mel, {
    content: await png(1_000, 700),
    filename: 'view.png',
    contentType: 'image/png',
  });
  const hidden = await uploaded(server, mel, { content: 'of secret', filename: 'secret.txt' });
  await uploaded(server, max, { content: 'nobody links it', filename: 'draft.txt' });
  await server.advance(0);
  const messages: Record<string, number> = {
    plain: await say(mel, 'general', 'hello', 'the first words, :smile: and #1'),
    mention: await say(max, 'general', 'hello', '@**Mel Member** and @*outer*: look :wobble:'),
    wildcard: await say(ada, 'general', 'news', `@**all** read [notes](${text})`),
    image: await say(mel, 'open', 'views', `[view](${image}) https://pictures.example/a.png`),
    secret: await say(mel, 'secret', 'plans', `quietly [this](${hidden})`),
    reply: await say(max, 'secret', 'plans', 'heard of **plans**'),
    before: await say(ada, 'council', 'early', 'before mel came'),
    moved: await say(mel, 'general', 'wrong place', 'to be moved'),
    deleted: await say(mel, 'general', 'hello', 'to be deleted'),
    attic: await say(mel, 'attic', 'old', 'dusty'),
    direct: await tell(mel, [max], 'between two'),
    group: await tell(ada, [mel, gus], 'among three'),
    other: await tell(mia, [ada], 'nobody agreed to this'),
    poll: await say(mel, 'general', 'polls', '/poll Lunch?\nyes\nno'),
    bot: await say(bot, 'general', 'bots', 'beep'),
    code: await say(mel, 'general', 'code', '```python\nprint(1)\n```\n$$x^2$$ 日本語のテキスト'),
  };
  await post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'council' }],
    principals: [mel.id],
    invite_only: true,
  });
  messages['after'] = await say(ada, 'council', 'late', 'after mel came');
  await react(post, { messages, people: [mel, max, ada] });
  await patch(mel, `/messages/${messages['plain']}`, { content: 'the first words, edited' });
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'open' });
  await patch(ada, `/messages/${messages['moved']}`, {
    stream_id: body.stream_id,
    topic: 'right place',
  });
  await patch(mel, `/messages/${messages['reply']}`, { topic: 'plans' }).catch(() => undefined);
  await server.delete(ada, `/messages/${messages['deleted']}`);
  await until(server, async () => {
    const path = `/messages/${messages['image']}`;
    return (await server.get(mel, path)).body.message.content.includes('/user_uploads/thumbnail/');
  });
  return { messages, files: [text, image, hidden] };
}

async function react(
  post: Do,
  { messages, people }: { messages: Readonly<Record<string, number>>; people: readonly Person[] },
) {
  const [mel, max, ada] = people;
  if (mel === undefined || max === undefined || ada === undefined) throw new Error('three people');
  await post(max, `/messages/${messages['plain']}/reactions`, { emoji_name: 'wobble' });
  await post(mel, `/messages/${messages['mention']}/reactions`, { emoji_name: 'tada' });
  await post(mel, `/messages/${messages['secret']}/reactions`, { emoji_name: 'tada' });
  await post(ada, `/messages/${messages['after']}/reactions`, { emoji_name: 'tada' });
  await post(max, '/submessage', {
    message_id: messages['poll'],
    msg_type: 'widget',
    content: JSON.stringify({ type: 'vote', key: 'canned,0', vote: 1 }),
  });
  const star = { op: 'add', flag: 'starred' };
  await post(mel, '/messages/flags', {
    ...star,
    messages: [messages['mention'], messages['group']],
  });
  await post(max, '/messages/flags', { ...star, messages: [messages['plain']] });
  await post(mel, '/messages/flags', { op: 'add', flag: 'read', messages: [messages['wildcard']] });
}

interface Filled extends Acts {
  readonly put: Do;
  readonly messages: Readonly<Record<string, number>>;
  readonly channels: Readonly<Record<string, number>>;
}

async function fillPeople(server: TestServer, { post, patch, put, messages, channels }: Filled) {
  const { ona, ada, mel, max, mia, gus, bot } = server.people;
  const open = channels['open'];
  for (const [person, word] of [
    [mel, 'plans'],
    [max, 'lunch'],
  ] as const) {
    await post(person, '/users/me/alert_words', { alert_words: [word] });
    const draft = {
      type: 'stream',
      to: [open],
      topic: 'later',
      content: 'unfinished',
      timestamp: 9,
    };
    await post(person, '/drafts', { drafts: [draft] });
    await post(person, '/saved_snippets', { title: 'hi', content: `from ${person.fullName}` });
    await post(person, '/scheduled_messages', {
      type: 'channel',
      to: open,
      topic: 'soon',
      content: 'scheduled',
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 86_400,
    });
    await post(person, '/reminders', {
      message_id: messages['mention'],
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 90_000,
      note: 'think of it',
    });
    await post(person, '/user_topics', { stream_id: open, topic: 'views', visibility_policy: 3 });
    await post(person, '/user_topics', { stream_id: open, topic: 'dull', visibility_policy: 1 });
    await post(person, `/users/me/muted_users/${gus.id}`);
    await post(person, '/navigation_views', {
      fragment: 'narrow/is/alerted',
      is_pinned: true,
      name: 'A',
    });
    await post(person, '/users/me/subscriptions/properties', {
      subscription_data: [
        { stream_id: open, property: 'color', value: '#123456' },
        { stream_id: open, property: 'pin_to_top', value: true },
        { stream_id: open, property: 'push_notifications', value: true },
      ],
    });
    await patch(person, '/settings', {
      twenty_four_hour_time: true,
      enable_stream_email_notifications: true,
      email_address_visibility: person === mel ? 3 : 1,
    });
    await post(person, '/users/me/status', { status_text: 'busy', emoji_name: 'tada' });
    await post(person, '/users/me/presence', { status: 'active', ping_only: true });
  }
  await post(mel, '/users/me/onboarding_steps', { onboarding_step: 'visibility_policy_banner' });
  await patch(mel, '/users/me/profile_data', { data: [{ id: 1, value: 'Ulm' }] });
  const { status } = await uploadTo(server, mel, '/users/me/avatar', {
    content: await png(200, 200),
    filename: 'me.png',
  });
  if (status !== 200) throw new Error('no avatar');
  await put(bot, '/bot_storage', { storage: { seen: '7' } });
  await post(mel, '/bots', {
    full_name: 'Caller',
    short_name: 'caller',
    bot_type: 3,
    payload_url: JSON.stringify('http://127.0.0.1:9/'),
    interface_type: 1,
    service_name: 'caller',
    default_sending_stream: 'secret',
  });
  await post(mel, '/mark_topic_as_read', { stream_id: open, topic_name: 'views' });
  await server.delete(ada, `/users/${mia.id}`);
  await server.delete(ona, `/streams/${channels['attic']}`);
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
}

import { ArchiveError } from '../../archives/archive-error.ts';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import type { PastMessage } from '../../operations/importing/history.ts';
import { idOf, keyed } from '../../operations/importing/imported-ids.ts';
import type {
  FormatOptions,
  HistoryChannel,
  HistoryEmoji,
  HistoryEntity,
  HistoryFormat,
  HistoryGroup,
  HistoryMessage,
  HistoryRow,
  HistoryUser,
  SubscriptionLook,
} from '../history.ts';
import type { ArchiveSource } from '../sources/archive-source.ts';
import { bounded, tooLarge } from './bounded.ts';
import { byTime } from './by-time.ts';
import { openChoices } from './choices.ts';
import { type Names, openNames, storableTopic } from './contents.ts';
import { openFiles } from './files.ts';
import { openGroups, permissionCharacters } from './groups.ts';
import { openImages, type Portrait } from './images.ts';
import { openLinks } from './links.ts';
import { openReactions } from './reactions.ts';
import { openReport, type Report } from './report.ts';
import { reportShut } from './shut-channels.ts';
import { openSteps } from './steps.ts';
import type { Ask, StepReply, Target } from './target.ts';
import { openTexts } from './texts.ts';
import { openUnread } from './unread.ts';

export interface RunInput {
  readonly format: HistoryFormat;
  readonly archive: ArchiveSource;
  readonly options: FormatOptions;
  readonly of: { readonly realm: string; readonly source: string; readonly format: string };
  readonly ask: Ask;
  /** Called when the people and channels are there. */
  readonly open: () => Promise<Target> | Target;
  readonly onProgress: (progress: Progress) => void;
}

/** Messages, of which none is written before all are read. */
export interface Progress {
  readonly read: number;
  /** Messages that were written, left out, or there before. */
  readonly done: number;
}

/** Imports an archive, or goes on with an import that was cut short. */
export async function runImport(input: RunInput): Promise<Report> {
  const { format, archive, options, of } = input;
  const report = openReport();
  let [read, done] = [0, 0];
  async function* counted(rows: AsyncIterable<HistoryRow>) {
    for await (const row of rows) {
      if (row.kind === 'message') read += 1;
      yield row;
      if (row.kind === 'message') input.onProgress({ read, done });
    }
  }
  const entities = openEntities(input, report);
  const choices = openChoices(input, report);
  let messages: ReturnType<typeof openMessages> | undefined;
  async function begun() {
    await entities.end();
    const target = await input.open();
    target.refresh();
    try {
      const images = openImages({ ...input, target, report });
      reportShut(entities.channels, { target, report, source: of.source });
      await choices.enterFirst();
      for (const one of choices.images) await images.ofRealm(one);
      for (const one of entities.portraits) await images.avatar(one);
      for (const one of entities.emoji) await images.emoji(one);
      return openMessages(input, report, { target, channels: entities.channels });
    } catch (error) {
      await target.close();
      throw error;
    }
  }
  try {
    for await (const row of byTime(counted(format.read(archive, options)))) {
      if (row.kind === 'skipped') report.skip(row);
      else if (row.kind === 'message') {
        messages ??= await begun();
        await messages.add(row);
        done += 1;
        input.onProgress({ read, done });
      } else if (row.kind === 'choice') await choices.add(row);
      else if (messages === undefined) await entities.add(row);
      else throw new ArchiveError(`the reader of ${format.name} has a ${row.kind} after messages`);
    }
    messages ??= await begun();
    await messages.end();
    await finishChannels(input, report, entities.channels);
    await choices.enterLast();
  } finally {
    await messages?.close();
    await choices.close();
  }
  await input.ask('import end', { ...of, added: report.added });
  return report;
}

function openEntities({ ask, of }: RunInput, report: Report) {
  const channels: HistoryChannel[] = [];
  const portraits: Portrait[] = [];
  const emoji: HistoryEmoji[] = [];
  let hasAdded = false;
  const into = <
    Row extends Pick<HistoryChannel | HistoryGroup | HistoryUser, 'kind' | 'id' | 'name'>,
  >(
    command: 'import users' | 'import groups' | 'import channels',
    what: string,
    charactersOf: (row: Row) => number = () => 0,
  ) =>
    openSteps<Row>({
      async send(rows) {
        const sent = rows.map(({ kind: _, ...row }) => row);
        const reply = (await ask(command, { ...of, rows: sent })) as StepReply;
        report.add(what, reply.counts['added'] ?? 0);
        report.add(`${what}_matched`, reply.counts['matched'] ?? 0);
        if ((reply.counts['added'] ?? 0) > 0) hasAdded = true;
        return reply;
      },
      onRefused: ({ kind, id, name }, why) => report.skip({ what: kind, row: id, name, why }),
      charactersOf,
    });
  const users = into<HistoryUser>('import users', 'users');
  const groups = into<Omit<HistoryGroup, 'members'>>('import groups', 'groups');
  const places = into<HistoryChannel>(
    'import channels',
    'channels',
    ({ permissions: allowed = {} }) => permissionCharacters(allowed),
  );
  const made = openGroups({ ask, of }, report);
  async function endGroups() {
    await groups.end();
    await made.finish();
  }
  return {
    channels,
    portraits,
    emoji,
    async add(given: HistoryEntity) {
      const row = given.kind === 'emoji' ? given : bounded(given);
      if (row.kind === 'user') {
        const { avatar, ...user } = row;
        if (avatar !== undefined) portraits.push({ id: row.id, avatar });
        return await users.add(user);
      }
      await users.end();
      if (row.kind === 'group') {
        made.keep(row);
        const { permissions: _, members: __, ...group } = row;
        return await groups.add(group);
      }
      await endGroups();
      if (row.kind === 'emoji') return void emoji.push(row);
      const { permissions: allowed, ...kept } = row;
      channels.push(kept);
      const { readUntil: _, looks: __, ...place } = kept;
      await places.add({ ...place, ...(allowed && { permissions: allowed }), subscribers: [] });
    },
    async end() {
      await users.end();
      await endGroups();
      await places.end();
      if (hasAdded) await ask('import announce', of);
    },
  };
}

const STARRED_MAX = 1_000;
const TOO_LONG = `A message has at most ${MESSAGE_LENGTH_MAX} characters.`;

function placeOf({ to }: HistoryMessage, names: Names): PastMessage['to'] | undefined {
  if ('channel' in to) {
    const channel = names.channel(to.channel);
    return channel && { channelId: channel.id, topic: storableTopic(to.topic) };
  }
  const userIds = names.users(to.direct);
  return userIds.length === 0 ? undefined : { userIds };
}

const charactersOf = ({ content, html }: PastMessage) => content.length + html.length;

interface Into {
  readonly target: Target;
  readonly channels: readonly HistoryChannel[];
}

function openMessages({ archive, ask, of }: RunInput, report: Report, { target, channels }: Into) {
  target.refresh();
  const { reads } = target;
  const names = openNames(target, of.source);
  const files = openFiles({ archive, target, ask, of });
  const linked = openLinks({ has: archive.has, files, report });
  const reactionsOf = openReactions({ target, names, report });
  const unread = openUnread({ names, channels, report });
  const steps = openSteps<PastMessage>({
    async send(rows) {
      const reply = (await ask('import messages', { ...of, rows })) as StepReply;
      report.add('messages', reply.counts['added'] ?? 0);
      const lost = reply.counts['lost'] ?? 0;
      const why = 'Its channel or a person of it is gone.';
      if (lost > 0) report.skip({ what: 'message', row: rows[0]?.id ?? '', count: lost, why });
      return reply;
    },
    onRefused: ({ id }, why) => report.skip({ what: 'message', row: id, why }),
    charactersOf,
  });

  const texts = openTexts({
    target,
    source: of.source,
    names,
    shown: files.paths,
    written: steps.end,
  });

  return {
    async add(row: HistoryMessage) {
      if (idOf(reads, of.source, 'message', row.id) !== undefined) return;
      const skip = (why: string) => report.skip({ what: 'message', row: row.id, why });
      const large = tooLarge(row);
      if (large !== undefined) return skip(large);
      const senderId = names.user(row.sender);
      if (senderId === undefined) return skip('Its sender is not in the archive.');
      const to = placeOf(row, names);
      if (to === undefined) return skip('Its channel or its people are not in the archive.');
      const { content, isCut, html, mentionedUserIds } = await texts.rendered(
        row.content,
        linked(senderId),
      );
      if (content === '') return skip('It has no text.');
      if (isCut) report.skip({ what: 'end of a message', row: row.id, why: TOO_LONG });
      const starredBy = names.users((row.starredBy ?? []).slice(0, STARRED_MAX));
      const changes = await texts.changes(row, senderId);
      await texts.note(row.id);
      await steps.add({
        id: keyed(row.id),
        senderId,
        to,
        sentAt: Math.max(0, Math.floor(row.sentAt)),
        editedAt: row.editedAt === undefined ? null : Math.max(0, Math.floor(row.editedAt)),
        movedAt: row.movedAt === undefined ? null : Math.max(0, Math.floor(row.movedAt)),
        changes,
        content,
        html,
        mentionedUserIds,
        reactions: reactionsOf(row),
        starredBy,
        ...unread.of(row, { senderId, to, flagged: [...mentionedUserIds, ...starredBy] }),
      });
    },
    end: steps.end,
    close: target.close,
  };
}

interface Subscriber {
  readonly id: string;
  readonly readUntil?: number | undefined;
  readonly look?: SubscriptionLook | undefined;
}

/** Subscribes people when all messages are there, which are read by them then. */
async function finishChannels(
  { ask, of }: RunInput,
  report: Report,
  channels: readonly HistoryChannel[],
) {
  for (const { id, name, subscribers: users, readUntil, looks, archived } of channels) {
    const steps = openSteps<Subscriber>({
      send: async (subscribers) =>
        (await ask('import subscribers', { ...of, channel: id, subscribers })) as StepReply,
      onRefused: ({ id: row }, why) => report.skip({ what: 'subscription', row, name, why }),
    });
    for (const user of users) {
      await steps.add({ id: user, readUntil: readUntil?.get(user), look: looks?.get(user) });
    }
    await steps.end();
    if (archived) await ask('import archive', { ...of, channel: id });
  }
}

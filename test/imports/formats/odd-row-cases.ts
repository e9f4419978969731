import { serialize } from 'bson';
import { discord } from '../../../src/imports/formats/discord/discord.ts';
import { mattermost } from '../../../src/imports/formats/mattermost/mattermost.ts';
import { rocketchat } from '../../../src/imports/formats/rocketchat/rocketchat.ts';
import { slack } from '../../../src/imports/formats/slack/slack.ts';
import { zulip } from '../../../src/imports/formats/zulip/zulip.ts';
import type { HistoryFormat } from '../../../src/imports/history.ts';
import type { Files } from './archive-in-memory.ts';
import { PNG } from './imported.ts';

/** A row of a table, or an element of a list, of an archive. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of one kind: what a sound archive has, and one more to be made odd. */
export interface Kind {
  readonly file: string;
  readonly sound: readonly Row[];
  readonly another: Row;
  /** True for rows that only say something of others, and may be without effect. */
  readonly isAside?: boolean;
}

/** Sound archives of a service. */
interface Case {
  readonly format: HistoryFormat;
  readonly kinds: Readonly<Record<string, Kind>>;
  /** Puts the rows of each kind into an archive. */
  readonly files: (rows: Readonly<Record<string, readonly unknown[]>>) => Files;
}

const AT = 1_704_189_600;
const iso = new Date(AT * 1000).toISOString();

const slackCase: Case = {
  format: slack,
  kinds: {
    user: {
      file: 'users.json',
      sound: [
        { id: 'U1', name: 'ann' },
        { id: 'U2', name: 'bob' },
      ],
      another: { id: 'U3', name: 'zoe', profile: { email: 'zoe@example.com' }, tz: 'UTC' },
    },
    channel: {
      file: 'channels.json',
      sound: [{ id: 'C1', name: 'tea', members: ['U1'] }],
      another: { id: 'C2', name: 'odd', members: ['U1', 'U9'], created: AT, creator: 'U9' },
    },
    direct: {
      file: 'dms.json',
      sound: [{ id: 'D1', members: ['U1', 'U2'] }],
      another: { id: 'D2', members: ['U1', 'U9'] },
      isAside: true,
    },
    message: {
      file: 'tea/2024-01-02.json',
      sound: [
        { user: 'U1', ts: `${AT}.1`, text: 'one' },
        { user: 'U2', ts: `${AT}.9`, text: 'two' },
      ],
      another: {
        user: 'U1',
        ts: `${AT}.5`,
        text: 'odd <@U9> <#C9>',
        thread_ts: `${AT}.0`,
        edited: { ts: `${AT}.6` },
        reactions: [{ name: 'tada', users: ['U1', 'U9'] }],
        files: [{ id: 'F9999999', name: 'plan.pdf' }],
        attachments: [{ text: 'more' }],
        blocks: [{ type: 'rich_text', elements: [] }],
      },
    },
  },
  files: (rows) => ({
    'users.json': rows['user'],
    'channels.json': rows['channel'],
    'dms.json': rows['direct'],
    'tea/2024-01-02.json': rows['message'],
  }),
};

const discordUser = (id: string) => ({ id, name: id, nickname: `Nick ${id}`, isBot: false });

const discordCase: Case = {
  format: discord,
  kinds: {
    message: {
      file: 'a.json',
      sound: ['100', '102'].map((id) => ({
        id,
        type: 'Default',
        timestamp: iso,
        content: `text ${id}`,
        author: discordUser('1'),
      })),
      another: {
        id: '101',
        type: 'Reply',
        timestamp: iso,
        timestampEdited: iso,
        content: 'odd <@9> <#9>',
        author: discordUser('2'),
        mentions: [discordUser('3')],
        reference: { messageId: '99' },
        attachments: [{ id: '1', url: 'https://example.com/a', fileName: 'a' }],
        embeds: [{ title: 'T', fields: [{ name: 'n', value: 'v' }] }],
        reactions: [{ emoji: { id: '', name: '🎉' }, users: [discordUser('4')] }],
        stickers: [{ name: 's', sourceUrl: 'https://example.com/s' }],
      },
    },
  },
  files: (rows) => ({
    'a.json': {
      guild: { id: '9' },
      channel: { id: '10', type: 'GuildTextChat', name: 'tea' },
      messages: rows['message'],
    },
  }),
};

const PLACE = { team: 'core', channel: 'tea' };

const mattermostCase: Case = {
  format: mattermost,
  kinds: {
    team: {
      file: 'import.jsonl',
      sound: [{ name: 'core' }],
      another: { name: 'other', display_name: 'Other' },
      isAside: true,
    },
    channel: {
      file: 'import.jsonl',
      sound: [{ team: 'core', name: 'tea' }],
      another: { team: 'nowhere', name: 'odd', display_name: 'Odd', type: 'P', purpose: 'x' },
    },
    user: {
      file: 'import.jsonl',
      sound: [{ username: 'ann' }, { username: 'bob' }],
      another: {
        username: 'zoe',
        email: 'zoe@example.com',
        roles: 'system_user',
        teams: [{ name: 'core', channels: [{ name: 'tea' }, { name: 'nowhere' }] }],
      },
    },
    emoji: {
      file: 'import.jsonl',
      sound: [{ name: 'party', image: 'party.png' }],
      another: { name: 'odd', image: 'odd.png' },
    },
    post: {
      file: 'import.jsonl',
      sound: [
        { ...PLACE, user: 'ann', message: 'one', create_at: AT * 1000 },
        { ...PLACE, user: 'bob', message: 'two', create_at: AT * 1000 },
      ],
      another: {
        ...PLACE,
        user: 'ann',
        message: 'odd @nobody ~nowhere',
        create_at: AT * 1000,
        edit_at: AT * 1000,
        flagged_by: ['nobody'],
        reactions: [{ user: 'nobody', emoji_name: 'tada' }],
        attachments: [{ path: 'gone.txt' }],
        replies: [{ user: 'ann', message: 'reply', create_at: AT * 1000 }],
        props: { attachments: [{ text: 'more' }] },
      },
    },
    direct_post: {
      file: 'import.jsonl',
      sound: [{ channel_members: ['ann', 'bob'], user: 'ann', message: 'x', create_at: AT * 1000 }],
      another: { channel_members: ['ann', 'zed'], user: 'ann', message: 'y', create_at: AT * 1000 },
    },
  },
  files: (rows) => ({
    'import.jsonl': Object.entries(rows)
      .flatMap(([type, some]) => some.map((row) => JSON.stringify({ type, [type]: row })))
      .join('\n'),
    'data/party.png': PNG,
    'data/odd.png': PNG,
  }),
};

const date = new Date(AT * 1000);

const rocketchatCase: Case = {
  format: rocketchat,
  kinds: {
    user: {
      file: 'users.bson',
      sound: [
        { _id: 'u1', username: 'ann' },
        { _id: 'u2', username: 'bob' },
      ],
      another: {
        _id: 'u3',
        username: 'zoe',
        name: 'Zoe',
        emails: [{ address: 'zoe@example.com' }],
        roles: ['admin'],
        createdAt: date,
        __rooms: ['r9'],
      },
    },
    room: {
      file: 'rocketchat_room.bson',
      sound: [{ _id: 'r1', t: 'c', name: 'tea' }],
      another: { _id: 'r2', t: 'p', name: 'odd', prid: 'r9', u: { _id: 'u9' }, ts: date },
    },
    subscription: {
      file: 'rocketchat_subscription.bson',
      sound: [{ rid: 'r1', u: { _id: 'u1' } }],
      another: { rid: 'r9', u: { _id: 'u9' } },
      isAside: true,
    },
    message: {
      file: 'rocketchat_message.bson',
      sound: ['m1', 'm3'].map((_id) => ({ _id, rid: 'r1', msg: _id, ts: date, u: { _id: 'u1' } })),
      another: {
        _id: 'm2',
        rid: 'r1',
        msg: 'odd @nobody #nowhere',
        ts: date,
        u: { _id: 'u1' },
        tmid: 'm9',
        editedAt: date,
        reactions: { ':tada:': { usernames: ['nobody'] } },
        starred: [{ _id: 'u9' }],
        files: [{ _id: 'f9', name: 'gone.txt' }],
        attachments: [{ title: 't', text: 'x', message_link: 'https://example.com' }],
      },
    },
  },
  files: (rows) => {
    // A value that is no document cannot stand in a dump: a file of lines has it.
    const lines = (some: readonly unknown[] = []) => some.map(extended).join('\n');
    const isDump = Object.values(rows)
      .flat()
      .every((row) => isObject(row));
    const bson = (some: readonly unknown[] = []) =>
      Buffer.concat(some.map((row) => serialize(row as object)));
    const [form, end] = isDump ? [bson, 'bson'] : [lines, 'json'];
    return {
      [`users.${end}`]: form(rows['user']),
      [`rocketchat_room.${end}`]: form(rows['room']),
      [`rocketchat_subscription.${end}`]: form(rows['subscription']),
      [`rocketchat_message.${end}`]: form(rows['message']),
    };
  },
};

/** Writes a document as `mongoexport` does: a date is an object. */
const extended = (row: unknown): string =>
  JSON.stringify(row).replaceAll(`"${iso}"`, `{"$date":"${iso}"}`);

const isObject = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && !Array.isArray(row);

const zulipCase: Case = {
  format: zulip,
  kinds: {
    zerver_userprofile: {
      file: 'realm.json',
      sound: [
        { id: 1, full_name: 'Ann' },
        { id: 2, full_name: 'Bob' },
      ],
      another: { id: 3, full_name: 'Zoe', email: 'zoe@example.com', role: 400, date_joined: AT },
    },
    zerver_stream: {
      file: 'realm.json',
      sound: [{ id: 10, name: 'tea' }],
      another: { id: 11, name: 'odd', description: 'x', date_created: AT, creator: 9 },
    },
    zerver_recipient: {
      file: 'realm.json',
      sound: [{ id: 20, type: 2, type_id: 10 }],
      another: { id: 21, type: 2, type_id: 99 },
      isAside: true,
    },
    zerver_subscription: {
      file: 'realm.json',
      sound: [{ id: 30, user_profile: 1, recipient: 20, active: true }],
      another: { id: 31, user_profile: 9, recipient: 99, active: true },
      isAside: true,
    },
    zerver_reaction: {
      file: 'realm.json',
      sound: [{ id: 40, message: 50, user_profile: 1, emoji_name: 'tada', emoji_code: '1f389' }],
      another: { id: 41, message: 99, user_profile: 9, emoji_name: 'tada', emoji_code: '1f389' },
      isAside: true,
    },
    zerver_usertopic: {
      file: 'realm.json',
      sound: [{ id: 70, user_profile: 1, stream: 10, topic_name: 'tea', visibility_policy: 3 }],
      another: { id: 71, user_profile: 9, stream: 99, topic_name: 'x', visibility_policy: 1 },
      isAside: true,
    },
    zerver_userstatus: {
      file: 'realm.json',
      sound: [{ id: 72, user_profile: 1, status_text: 'away' }],
      another: { id: 73, user_profile: 9, emoji_name: 'tada', emoji_code: '1f389' },
      isAside: true,
    },
    zerver_customprofilefield: {
      file: 'realm.json',
      sound: [{ id: 74, name: 'Phone', field_type: 1, order: 1 }],
      another: { id: 75, name: 'Ship', field_type: 3, field_data: '{}', order: 2, hint: 'h' },
    },
    zerver_message: {
      file: 'messages-000001.json',
      sound: [50, 52].map((id) => ({
        ...{ id, sender: 1, recipient: 20, subject: 'tea', content: `text ${id}`, date_sent: AT },
      })),
      another: {
        ...{ id: 51, sender: 1, recipient: 20, subject: 'tea', content: 'odd', date_sent: AT },
        last_edit_time: AT,
      },
    },
    zerver_usermessage: {
      file: 'messages-000001.json',
      sound: [{ id: 60, user_profile: 1, message: 50, flags_mask: 1 }],
      another: { id: 61, user_profile: 9, message: 99, flags_mask: 3 },
      isAside: true,
    },
  },
  files: ({ zerver_message, zerver_usermessage, ...tables }) => ({
    'realm.json': tables,
    'messages-000001.json': { zerver_message, zerver_usermessage },
  }),
};

export const CASES = [slackCase, discordCase, mattermostCase, rocketchatCase, zulipCase];

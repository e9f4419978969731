import { compiled } from '../../../src/domain/rules/texts/linkifiers.ts';
import {
  type MarkdownDirectory,
  type MentionableGroup,
  type MentionableUser,
  NO_NAMES,
} from '../../../src/markdown/directory.ts';

const users: readonly MentionableUser[] = [
  { userId: 12, fullName: 'Ada Lovelace', isActive: true },
  { userId: 3, fullName: 'Mel', isActive: true },
  { userId: 4, fullName: 'Gone', isActive: false },
  { userId: 20, fullName: 'Twin', isActive: true },
  { userId: 21, fullName: 'Twin', isActive: true },
  { userId: 30, fullName: 'Heir', isActive: false },
  { userId: 31, fullName: 'Heir', isActive: true },
  { userId: 40, fullName: '<b>"x"&', isActive: true },
];
const groups: readonly MentionableGroup[] = [
  { groupId: 7, name: 'Support', isActive: true },
  { groupId: 8, name: 'Old hands', isActive: false },
  { groupId: 9, name: '<i>\'y"&', isActive: true },
  { groupId: 2, name: 'role:members', isActive: true },
];
const channels = [
  { channelId: 5, name: 'design' },
  { channelId: 6, name: 'R.O.I. (100%) ü & <b>' },
  { channelId: 8, name: '"q\' &<' },
];

const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The names that the tests of Markdown write. */
export const directory: MarkdownDirectory = {
  ...NO_NAMES,
  usersNamed: (fullName) => users.filter((user) => sameName(user.fullName, fullName)),
  user: (userId) => users.find((user) => user.userId === userId),
  groupNamed: (name) => groups.find((group) => sameName(group.name, name)),
  channelNamed: (name) => channels.find((channel) => sameName(channel.name, name)),
  newestInTopic: (_channelId, topic) => (sameName(topic, 'logo') ? 214 : undefined),
  customEmoji: (name) =>
    name === 'party' ? { src: '/user_avatars/2/emoji/images/5.png' } : undefined,
  realmUrl: 'https://chat.example.com',
};

/**
 * A realm that shows previews of links. One page has been looked at, whose words are not to be
 * trusted.
 */
export const previewing: MarkdownDirectory = {
  ...directory,
  previews: {
    proxied: (url) => `/external_content/0a/${Buffer.from(url, 'utf8').toString('hex')}`,
    showsMedia: true,
    upload(pathId) {
      if (!pathId.startsWith('2/ab/')) return undefined;
      if (pathId.endsWith('.mp3')) return { pathId, contentType: 'audio/mpeg', image: null };
      const isReady = !pathId.endsWith('waiting.png');
      const image = { width: 1920, height: 1080, isAnimated: false, isReady };
      return { pathId, contentType: 'image/png', image };
    },
    showsPages: true,
    page: (url) =>
      url.startsWith('https://page.org')
        ? {
            title: 'A "page" <b>\'s',
            description: '<script> & </div>',
            imageUrl: 'https://page.org/a.png?x="<>)',
          }
        : undefined,
  },
};

/** The same in a realm with linkifiers and a code language, by an author who types emoticons. */
export const richDirectory: MarkdownDirectory = {
  ...directory,
  translatesEmoticons: true,
  defaultCodeLanguage: 'python',
  aliasPrefix: 'acme',
  linkifiers: compiled([
    { pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://x.org/{id}' },
    { pattern: '(?P<project>[A-Z]+)-(?P<n>\\d+)', urlTemplate: 'https://y.org/{?project,n}' },
    { pattern: 'go/(?P<rest>[^ ]+)', urlTemplate: '/{+rest}' },
    { pattern: '(?P<any>[<>"\'&]{2,})', urlTemplate: 'https://z.org/{+any}#{any}' },
  ]),
};

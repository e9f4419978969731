import { placeOf, type Route } from './route.ts';
import { topicLabel } from './shapes.ts';

export interface TitleNames {
  readonly channel: (channelId: number) => string | undefined;
  readonly person: (userId: number) => string | undefined;
  readonly ownId: number;
}

/** The name of the view that is shown. */
export interface Heading {
  readonly title: string;
  /** The channel of a topic. */
  readonly within: string | null;
}

const OF_VIEWS = {
  inbox: 'Inbox',
  recent: 'Recent conversations',
  drafts: 'Drafts',
  settings: 'Settings',
  channels: 'Channels',
  organization: 'Organization',
  welcome: 'Welcome',
} as const;

const OF_IS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  mentioned: 'Mentions',
  starred: 'Starred messages',
  dm: 'Direct messages',
  unread: 'Unread messages',
  followed: 'Followed topics',
  resolved: 'Resolved topics',
  muted: 'Muted topics',
  alerted: 'Alert words',
};

/** Returns what a view is called. */
export function headingOf(route: Route, names: TitleNames): Heading {
  if (route.view === 'topics') {
    return { title: 'Topics', within: names.channel(route.channelId) ?? 'Unknown channel' };
  }
  if (route.view !== 'narrow') return { title: OF_VIEWS[route.view], within: null };
  const place = placeOf(route.narrow);
  if (place?.kind === 'dm') return { title: peopleLabel(place.userIds, names), within: null };
  if (place !== null) {
    const channel = names.channel(place.channelId) ?? 'Unknown channel';
    return place.kind === 'channel'
      ? { title: channel, within: null }
      : { title: topicLabel(place.topic), within: channel };
  }
  const [first, ...rest] = route.narrow;
  if (first === undefined) return { title: 'All messages', within: null };
  if (rest.length === 0 && first.operator === 'is' && !first.negated) {
    return { title: OF_IS[String(first.operand)] ?? 'Search', within: null };
  }
  return { title: 'Search', within: null };
}

/** Returns the names of a conversation. */
export function peopleLabel(userIds: readonly number[], names: TitleNames): string {
  if (userIds.length === 1 && userIds[0] === names.ownId) return 'Notes to yourself';
  return userIds.map((id) => names.person(id) ?? 'Unknown user').join(', ');
}

/** Returns the title of the document: how much is unread, what is shown, and where. */
export const documentTitle = (heading: Heading, realm: string, unread: number): string =>
  [
    unread > 0 ? `(${unread > 999 ? '999+' : unread}) ` : '',
    heading.title,
    heading.within === null ? '' : ` · ${heading.within}`,
    realm === '' ? '' : ` · ${realm}`,
  ].join('');

import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { type NarrowTerm, termsOf } from '../../domain/rules/messages/narrow.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../domain/rules/messages/topic.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import { dummyEmail } from '../../domain/rules/people/users.ts';
import { textSearch } from '../../domain/rules/search/text-search.ts';
import { type FlagName, flagNames } from '../../domain/wire/flags.ts';
import { formatOf, type MessageInFormat, messageInFormat } from '../../events/for-client.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { type EditFields, editFields } from '../indexes/edit-history.ts';
import { knowingFlags } from '../indexes/flag-reads.ts';
import { flagsOf } from '../indexes/message-access.ts';
import { type People, richMessages } from '../posting/messages.ts';

/** The format in which the client wants its messages. */
export interface MessageFormat {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly allowEmptyTopicName: boolean;
}

export interface ListRequest extends MessageFormat {
  readonly user: UserRow;
  readonly site: Site;
}

/** A message as a list gives it: as in events, and with the flags of who asks. */
export type ListedMessage = MessageInFormat & {
  flags?: readonly FlagName[];
} & Partial<SearchMatch> &
  Pick<EditFields, 'edit_history'>;

/** Makes the messages of a list, given in order, with search matches marked. */
export function listedMessages(
  tx: Reads,
  rows: readonly MessageRow[],
  request: ListRequest & { readonly narrow: readonly NarrowTerm[] },
): (row: MessageRow) => ListedMessage {
  const toMessage = messageMaker(knowingFlags(tx, request.user.id, rows), request);
  if (!isSearched(request)) return toMessage;
  const match = matchFinder(request);
  return (row) => Object.assign(toMessage(row), match(row));
}

/** Tests whether texts are searched, so that what matched is marked. */
export const isSearched = ({ narrow }: { readonly narrow: readonly NarrowTerm[] }): boolean =>
  narrow.some(({ operator }) => operator === 'search');

/** Makes messages one by one. */
export function messageMaker(
  tx: Reads,
  { user, site, ...format }: ListRequest,
): (row: MessageRow) => ListedMessage {
  const toRich = richMessages(tx, site, inListOrder);
  const bits = formatBits(format);
  return (row) => {
    const rich = toRich(row);
    const message: ListedMessage = messageInFormat(rich, bits);
    // The address that says nothing: who is not logged in may see no other.
    if (isSpectator(user)) {
      message.sender_email = dummyEmail(row.senderId, site.host);
      message.avatar_url = rich.avatar_url;
    }
    if (row.hasEdits) Object.assign(message, editFields(tx, row));
    message.flags = flagNames(flagsOf(tx, user.id, row));
    return message;
  };
}

/** Orders the people of a direct message: "1:1: sorted by email." */
export const inListOrder = (people: People): People =>
  people.length === 2
    ? people.toSorted((one, other) => (one.email < other.email ? -1 : 1))
    : people;

const formatBits = ({ applyMarkdown, clientGravatar, allowEmptyTopicName }: MessageFormat) =>
  formatOf({
    applyMarkdown,
    clientGravatar,
    capabilities: { empty_topic_name: allowEmptyTopicName },
  });

export interface SearchMatch {
  readonly match_content: string;
  readonly match_subject: string;
}

/**
 * Returns a function that marks search matches in a message; without a search it returns the text
 * as it is.
 */
export function matchFinder({
  narrow,
  allowEmptyTopicName,
}: {
  narrow: readonly NarrowTerm[];
  allowEmptyTopicName: boolean;
}): (row: MessageRow) => SearchMatch {
  const search = textSearch(
    termsOf(narrow, 'search')
      .filter(({ negated }) => !negated)
      .map(({ operand }) => operand),
  );
  return (row) => ({
    match_content: search.inHtml(row.renderedContent),
    match_subject: search.inText(
      row.topic === '' && row.channelId !== null && !allowEmptyTopicName
        ? EMPTY_TOPIC_DISPLAY_NAME
        : row.topic,
    ),
  });
}

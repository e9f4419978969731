import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import { madeIn, oncePerKey } from '../../domain/once-per-key.ts';
import type { NarrowTerm } from '../../domain/rules/messages/narrow.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../domain/rules/messages/topic.ts';
import { flagNamesJson } from '../../domain/wire/flags.ts';
import { isMeMessage } from '../../markdown/markdown.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { type EditFields, editFields } from '../indexes/edit-history.ts';
import { knowingFlags } from '../indexes/flag-reads.ts';
import { flagsOf } from '../indexes/message-access.ts';
import { reactionsTo } from '../indexes/reaction-reads.ts';
import * as conversations from '../posting/conversations.ts';
import * as submessages from '../posting/submessages.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import { openSenders } from './encoded-senders.ts';
import { inListOrder, isSearched, type ListRequest, matchFinder } from './listed-messages.ts';
import { sizeOf } from './message-pages.ts';

/** A message of a list as JSON, with the estimate of its bytes by which a page ends. */
export interface EncodedMessage {
  readonly json: string;
  readonly bytes: number;
}

/**
 * Encodes the messages of a list, given in order, to the bytes that `JSON.stringify` makes of those
 * of `listedMessages`. Neighbouring fields that many messages of a page share are encoded once and
 * together, so that a usual message is a dozen texts, of which only its id, content and time are
 * made for it. An object for each message would be made only to be taken apart again.
 */
export function encodedMessages(
  page: Reads,
  rows: readonly MessageRow[],
  request: ListRequest & { readonly narrow: readonly NarrowTerm[] },
): (row: MessageRow) => EncodedMessage {
  const { user, site, applyMarkdown } = request;
  const tx = knowingFlags(page, user.id, rows);
  const match = isSearched(request) ? matchFinder(request) : undefined;
  const senderOf = openSenders(tx, request);
  const client = oncePerKey((name: string) => `,"client":${JSON.stringify(name)},"content":`);
  const placeOf = openPlaces(tx, request);
  const topic = oncePerKey(topicEncoder(tx, request));
  const type = applyMarkdown ? TYPE_OF_HTML : TYPE_OF_MARKDOWN;
  return (row) => {
    const sender = senderOf(row.senderId);
    const place = placeOf(row);
    const content = applyMarkdown ? row.renderedContent : row.content;
    const lists = listsOf(tx, row, site);
    const edits = row.hasEdits ? editFields(tx, row) : NO_EDITS;
    const found = match?.(row);
    const about = row.channelId === null ? NO_TOPIC : topic(row.topic);
    const flags = flagNamesJson(flagsOf(tx, user.id, row));
    return {
      json:
        `{"id":${row.id}${sender.names}${client(row.client)}${JSON.stringify(content)}` +
        `${type}${row.sentAt}${place.recipient}${about}${lists.json}${sender.avatar}` +
        `${place.streamId}${edits === NO_EDITS ? '' : fieldsOf(edits)},"flags":${flags}` +
        `${found === undefined ? '' : fieldsOf(found)}}`,
      bytes: sizeOf({
        content,
        display_recipient: place.people,
        reactions: lists.reactions,
        submessages: lists.submessages,
        edit_history: edits.edit_history,
        match_content: found?.match_content,
      }),
    };
  };
}

const TYPE_OF_HTML = ',"content_type":"text/html","timestamp":';
const TYPE_OF_MARKDOWN = ',"content_type":"text/x-markdown","timestamp":';

const NO_EDITS: EditFields = {};

/** Returns the fields of an object, to stand behind those of another one. */
function fieldsOf(fields: object): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

/** Returns the fields about a topic of a channel. */
const topicEncoder =
  (tx: Reads, { allowEmptyTopicName }: ListRequest) =>
  (topic: string) => {
    const subject = topic === '' && !allowEmptyTopicName ? EMPTY_TOPIC_DISPLAY_NAME : topic;
    const links = linkifiers.linksOf(tx, topic);
    return `,"subject":${JSON.stringify(subject)},"topic_links":${JSON.stringify(links)}`;
  };

/** The same of a direct message. */
const NO_TOPIC = ',"subject":"","topic_links":[]';

interface Place {
  readonly recipient: string;
  /** The people of a direct message. */
  readonly people: readonly object[] | undefined;
  /** Empty for a direct message. */
  readonly streamId: string;
}

/** Encodes the places of messages, each once for all messages of a list. */
function openPlaces(tx: Reads, { site }: ListRequest) {
  const known = new Map<number, Place>();

  function encoded({ channelId, recipientId }: MessageRow): Place {
    const channel = channelId === null ? undefined : tx.channels.get([channelId]);
    if (channel !== undefined) {
      const name = JSON.stringify(channel.name);
      return {
        recipient: `,"type":"stream","recipient_id":${recipientId},"display_recipient":${name}`,
        people: undefined,
        streamId: `,"stream_id":${channel.id}`,
      };
    }
    const people = inListOrder(conversations.displayRecipient(tx, recipientId, site));
    const names = JSON.stringify(people);
    return {
      recipient: `,"type":"private","recipient_id":${recipientId},"display_recipient":${names}`,
      people,
      streamId: '',
    };
  }

  return (row: MessageRow): Place => madeIn(known, row.recipientId, () => encoded(row));
}

/** Returns the fields that most messages have alike, up to the image of the sender. */
function listsOf(tx: Reads, row: MessageRow, site: Site) {
  const isMe = isMeMessage(row.content);
  if (!isMe && !row.hasReactions && !row.hasSubmessages) return EMPTY_LISTS;
  const reactions = reactionsTo(tx, row, site);
  const parts = submessages.of(tx, row);
  return { json: jsonOfLists(isMe, reactions, parts), reactions, submessages: parts };
}

const jsonOfLists = (isMe: boolean, reactions: readonly object[], parts: readonly object[]) =>
  `,"is_me_message":${isMe},"reactions":${JSON.stringify(reactions)}` +
  `,"submessages":${JSON.stringify(parts)},"avatar_url":`;

const EMPTY_LISTS = {
  json: ',"is_me_message":false,"reactions":[],"submessages":[],"avatar_url":',
  reactions: undefined,
  submessages: undefined,
};

import type { HistoryText, HistoryUser } from '../../history.ts';
import { textOfMarkdown, underscoresAsStars } from '../shared/markdown.ts';
import type { TextBuilder } from '../shared/texts.ts';

export interface Known {
  readonly users: ReadonlyMap<string, HistoryUser>;
  readonly places: ReadonlyMap<string, { channel: string; topic?: string }>;
  /** Ids of users by the names that this message mentions. */
  readonly names: ReadonlyMap<string, string>;
}

const TOKENS =
  /<@!?(\d{1,25})>|<@&(\d{1,25})>|<#(\d{1,25})>|<a?:(\w{1,64}):\d{1,25}>|<t:(\d{1,11})(?::[a-zA-Z])?>|\|\|((?:[^|\n]|\|(?!\|)){1,2000})\|\|/g;

/**
 * Converts a message of Discord. The exporter either leaves mentions as they are (`<@12>`), or,
 * which is its default, writes their names out (`@Ann`).
 */
export function textOfDiscord(source: string, known: Known): HistoryText {
  return textOfMarkdown(source, {
    tokens: TOKENS,
    emphasis: (text) => underscoresAsStars(namesMarked(text, known)),
    add: (builder, token) => addToken(builder, token, known),
  });
}

const WILDCARD = /@(everyone|here)(?!\w)/g;

/** Writes names that the exporter wrote out as ids again; longer names come first. */
function namesMarked(source: string, { names }: Known): string {
  let text = source.replace(WILDCARD, '<@!0>');
  const longestFirst = [...names].sort(([one], [other]) => other.length - one.length);
  for (const [name, id] of longestFirst) {
    if (/^\d{1,25}$/.test(id)) text = text.replaceAll(`@${name}`, `<@${id}>`);
  }
  return text;
}

function addToken(builder: TextBuilder, token: RegExpMatchArray, known: Known): boolean {
  const [, user, role, channel, emoji, time, spoiler] = token;
  if (user === '0') builder.mentionAll();
  else if (user !== undefined) {
    if (known.users.has(user)) builder.mention(user);
    else builder.add('@unknown-user');
  } else if (role !== undefined) builder.add('@unknown-role');
  else if (channel !== undefined) addChannel(builder, channel, known);
  else if (emoji !== undefined) builder.add(`:${emoji.toLowerCase()}:`);
  else if (time !== undefined) builder.add(`<time:${time}>`);
  else if (spoiler !== undefined) {
    const fence = spoiler.includes('```') ? '````' : '```';
    builder.add(`\n${fence}spoiler\n`).append(textOfDiscord(spoiler, known)).add(`\n${fence}\n`);
  } else return false;
  return true;
}

function addChannel(builder: TextBuilder, id: string, { places }: Known): void {
  const place = places.get(id);
  if (place === undefined) builder.add('#unknown-channel');
  else builder.append([place]);
}

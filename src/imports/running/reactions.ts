import { codeOfCharacter, nameOf } from '../../domain/rules/texts/emoji.ts';
import type { PastReaction } from '../../operations/importing/history.ts';
import * as emoji from '../../operations/rendering/emoji.ts';
import type { HistoryMessage, HistoryReaction } from '../history.ts';
import { boundedReactions } from './bounded.ts';
import type { Names } from './contents.ts';
import type { Report } from './report.ts';
import type { Target } from './target.ts';

interface Input {
  readonly target: Target;
  readonly names: Names;
  readonly report: Report;
}

/** Returns the name of an emoji that the archive gives by its name or its characters. */
const emojiName = (given: string): string =>
  nameOf(codeOfCharacter(given)) ?? given.replaceAll(':', '');

/** Returns how the reactions of a message are found here; others are reported. */
export function openReactions({ target: { reads, site }, names, report }: Input) {
  const reactionOf = ({ emoji: given, users }: HistoryReaction): PastReaction | undefined => {
    const name = emojiName(given);
    const found = emoji.byName(reads, { name }, site.settings);
    if (found !== undefined) return { ...found, userIds: names.users(users) };
    const why = 'There is no emoji of this name.';
    report.skip({ what: 'reaction', name: given, why });
    return undefined;
  };
  return ({ id, reactions }: HistoryMessage): PastReaction[] => {
    const { kept, dropped: count } = boundedReactions(reactions);
    const why = 'Its message has too many reactions.';
    if (count > 0) report.skip({ what: 'reaction', row: id, count, why });
    return kept.flatMap((one) => reactionOf(one) ?? []);
  };
}

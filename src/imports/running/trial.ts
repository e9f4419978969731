import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import { NO_CHANNEL, NO_MUTED, NO_PERSON } from '../../operations/importing/choices.ts';
import type {
  FileReference,
  FormatOptions,
  HistoryChoice,
  HistoryFormat,
  HistoryMessage,
  HistoryRow,
} from '../history.ts';
import type { ArchiveSource } from '../sources/archive-source.ts';
import { tooLarge } from './bounded.ts';
import { shownOf } from './choices.ts';
import { NOT_THERE } from './links.ts';
import { isStandard } from './reactions.ts';
import * as reasons from './reasons.ts';
import { openReport, type Report } from './report.ts';

interface Trial {
  readonly format: HistoryFormat;
  readonly archive: ArchiveSource;
  readonly options: FormatOptions;
  /** The other word for `service` in names that clients know; empty for none. */
  readonly aliasPrefix: string;
}

/**
 * Reads an archive, and counts what it has and what would be left out, as far as that can be known
 * without a realm.
 */
export async function tryImport({ format, archive, options, aliasPrefix }: Trial): Promise<Report> {
  const report = openReport();
  const emoji = new Set<string>();
  const references = openReferences(report);

  function tryMessage(row: HistoryMessage) {
    const why = tooLarge(row) ?? references.lackOf(row);
    if (why !== undefined) return report.skip({ what: 'message', row: row.id, why });
    report.add('messages');
    if (lengthOf(row) > MESSAGE_LENGTH_MAX) {
      report.skip({ what: 'end of a message', row: row.id, why: reasons.TOO_LONG });
    }
    for (const { emoji: name } of row.reactions) {
      if (emoji.has(name.replaceAll(':', '')) || isStandard(name, aliasPrefix)) continue;
      report.skip({ what: 'reaction', name, why: NOT_STANDARD });
    }
    for (const piece of row.content) {
      if (typeof piece === 'string' || !('file' in piece)) continue;
      if (archive.has(piece.file.entry)) report.add('files');
      else report.skip({ what: 'file', ...named(piece.file), why: NOT_THERE });
    }
  }

  for await (const row of format.read(archive, options)) {
    if (row.kind === 'skipped') report.skip(row);
    else if (row.kind === 'message') tryMessage(row);
    else if (!references.holds(row)) report.add(PLURALS[row.kind]);
    if (row.kind === 'emoji') emoji.add(row.name);
  }
  references.end();
  return report;
}

const NOT_STANDARD = 'It is no standard emoji, and the archive does not have it.';

const PLURALS = {
  user: 'users',
  group: 'groups',
  channel: 'channels',
  emoji: 'emoji',
  choice: 'settings',
} as const;

const named = ({ entry: file, name }: FileReference) => ({ file, name });

/** Characters of a text, without the names of people and files that come into it. */
const lengthOf = ({ content }: HistoryMessage): number =>
  content.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0);

/** Choices that are held until all are read; the import itself has them on disk. */
const HELD_MAX = 100_000;

/** Looks for people, channels and fields that rows name. Messages come after all of these. */
function openReferences(report: Report) {
  const users = new Set<string>();
  const channels = new Set<string>();
  const fields = new Set<string>();
  const held: HistoryChoice[] = [];

  function lackOfChoice(choice: HistoryChoice): string | undefined {
    if ('user' in choice && !users.has(choice.user)) return NO_PERSON;
    if (choice.what === 'topic policy' && !channels.has(choice.channel)) return NO_CHANNEL;
    if (choice.what === 'muted user' && !users.has(choice.muted)) return NO_MUTED;
    if (choice.what === 'profile value' && !fields.has(choice.field)) return reasons.NO_FIELD;
    return undefined;
  }

  return {
    /** Notes what others may name. Returns true for a choice that is counted at the end. */
    holds(row: Exclude<HistoryRow, HistoryMessage>): boolean {
      if (row.kind === 'user') users.add(row.id);
      else if (row.kind === 'channel') channels.add(row.id);
      else if (row.kind === 'choice') {
        if (row.what === 'profile field') fields.add(row.id);
        else if ('user' in row && held.length < HELD_MAX) return held.push(row) > 0;
      }
      return false;
    },
    /** Returns why a message has no place, undefined if it has one. */
    lackOf({ sender, to }: HistoryMessage): string | undefined {
      if (!users.has(sender)) return reasons.NO_SENDER;
      const hasPlace =
        'channel' in to ? channels.has(to.channel) : to.direct.some((id) => users.has(id));
      return hasPlace ? undefined : reasons.NO_PLACE;
    },
    end() {
      for (const choice of held) {
        const why = lackOfChoice(choice);
        if (why === undefined) report.add('settings');
        else report.skip({ ...shownOf(choice), why });
      }
    },
  };
}

import { cutTo } from '../../domain/rules/messages/topic.ts';
import { FieldType } from '../../domain/rules/people/profile-fields.ts';
import { codeOfCharacter, nameOf } from '../../domain/rules/texts/emoji.ts';
import { keyed } from '../../operations/importing/imported-ids.ts';
import { textsOf } from '../formats/shared/fields.ts';
import type { HistoryChoice, ProfileFieldChoice, RealmImageChoice } from '../history.ts';
import { parsedJson } from '../json-stream.ts';
import { openScratch } from '../scratch.ts';
import { storableTopic } from './contents.ts';
import { openLines, readLines } from './lines-on-disk.ts';
import type { Report } from './report.ts';
import { openSteps } from './steps.ts';
import type { Ask, StepReply } from './target.ts';

interface Input {
  readonly ask: Ask;
  readonly of: { readonly realm: string; readonly source: string; readonly format: string };
}

/** Choices of an organization: the server takes fewer of each kind. */
const OF_ORGANIZATION_MAX = 2_000;
/** Characters of a text, as the server reads a step as a whole; snippets are the longest. */
const TEXT_MAX = 10_000;

/**
 * Keeps what the organization and its people have set up until it can be entered: that of people
 * after the messages, in a file meanwhile, as a person may have a choice for each topic.
 */
export function openChoices({ ask, of }: Input, report: Report) {
  const ofOrganization: HistoryChoice[] = [];
  const images: RealmImageChoice[] = [];
  const fields = new Map<string, Pick<ProfileFieldChoice, 'type'>>();
  const scratch = openScratch();
  let path = '';
  let file: Awaited<ReturnType<typeof openLines>> | undefined;

  const steps = () =>
    openSteps<object>({
      async send(rows) {
        const reply = (await ask('import choices', { ...of, rows })) as StepReply;
        for (const [word, count] of Object.entries(reply.counts)) {
          if (word !== 'known' && word !== 'refused') report.add(word, count);
        }
        return reply;
      },
      onRefused(row, why) {
        const { what, name = '' } = shownOf(row as HistoryChoice);
        report.skip({ what, name, why });
      },
      charactersOf: (row) => JSON.stringify(row).length,
    });

  return {
    /** Images of the organization, which are drawn here. */
    images,
    async add(choice: HistoryChoice) {
      if ('user' in choice) {
        if (file === undefined) {
          path = scratch.path();
          file = await openLines(path);
        }
        await file.add(JSON.stringify(choice));
      } else if (ofOrganization.length + images.length >= OF_ORGANIZATION_MAX) {
        const why = `More than ${OF_ORGANIZATION_MAX} settings of an organization are not taken.`;
        report.skip({ ...shownOf(choice), why });
      } else if (choice.what === 'image') images.push(choice);
      else {
        ofOrganization.push(choice);
        if (choice.what === 'profile field') fields.set(choice.id, choice);
      }
    },
    /** Enters those of the organization that messages are rendered by. */
    async enterFirst() {
      const sent = steps();
      for (const choice of ofOrganization) if (!isLast(choice)) await sent.add(bounded(choice));
      await sent.end();
    },
    /** Enters the others: those of people, and the days after which messages are removed. */
    async enterLast() {
      const sent = steps();
      for (const choice of ofOrganization) if (isLast(choice)) await sent.add(bounded(choice));
      await sent.end();
      if (file === undefined) return;
      await file.end();
      for await (const line of readLines(path)) {
        const choice = JSON.parse(line) as HistoryChoice;
        const row = shownHere(choice, fields);
        if (row !== undefined) await sent.add(bounded(row));
        else report.skip({ ...shownOf(choice), why: 'Its field is not in the archive.' });
      }
      await sent.end();
    },
    async close() {
      await file?.close();
      scratch.remove();
    },
  };
}

const isLast = ({ what }: HistoryChoice): boolean => what === 'organization';

/** Says topics and emoji as the server knows them, and which people a value names. */
function shownHere(
  choice: HistoryChoice,
  fields: ReadonlyMap<string, Pick<ProfileFieldChoice, 'type'>>,
) {
  switch (choice.what) {
    case 'profile value': {
      const field = fields.get(choice.field);
      if (field === undefined) return undefined;
      const value = field.type === FieldType.users ? idsIn(choice.value) : choice.value;
      return { ...choice, value };
    }
    case 'topic policy':
      return { ...choice, topic: storableTopic(choice.topic) };
    case 'status': {
      const emoji = nameOf(codeOfCharacter(choice.emoji)) ?? choice.emoji;
      return { ...choice, emoji };
    }
    default:
      return choice;
  }
}

/** Returns the ids of a list in JSON, as a profile has it for people. */
function idsIn(value: string): string[] {
  const { value: list } = { value: undefined, ...parsedJson(Buffer.from(value), value) };
  return textsOf(list);
}

/** Cuts texts, and hashes ids that are too long for a key. */
function bounded(choice: object): object {
  return Object.fromEntries(
    Object.entries(choice).flatMap(([key, value]) => {
      if (key === 'kind') return [];
      if (Array.isArray(value)) return [[key, value.slice(0, 1_000).map(keyed)]];
      if (typeof value !== 'string') return [[key, value]];
      if (IDS.has(key)) return [[key, keyed(value)]];
      const text = cutTo(value.replaceAll('\0', ''), TEXT_MAX);
      return [[key, ONE_LINE.has(key) ? text.replace(UNPRINTABLE, ' ').trim() : text]];
    }),
  );
}

const IDS: ReadonlySet<string> = new Set(['user', 'channel', 'muted', 'field', 'id']);

/** Texts in which signs that cannot be printed would be refused. */
const ONE_LINE: ReadonlySet<string> = new Set('name hint word title text language'.split(' '));
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Returns what a choice is called in the report. */
function shownOf(choice: HistoryChoice): { readonly what: string; readonly name?: string } {
  const { what } = choice;
  if (what === 'linkifier') return { what, name: choice.pattern };
  if (what === 'topic policy') return { what, name: choice.topic };
  return 'name' in choice ? { what, name: choice.name } : { what };
}

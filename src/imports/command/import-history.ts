import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { giveToOwner } from '../../command-line/same-owner.ts';
import type { ServerSettings } from '../../config.ts';
import { giveWay, giveWayEntirely } from '../../processes/give-way.ts';
import { FORMATS } from '../formats/formats.ts';
import type { FormatOptions } from '../history.ts';
import { type RunInput, runImport } from '../running/run-import.ts';
import { type ImportedFiles, openTarget } from '../running/target.ts';
import type { ArchiveSource } from '../sources/archive-source.ts';
import { openArchiveSource } from '../sources/open-archive.ts';
import { openImportSession } from './import-session.ts';
import { showProgress } from './progress.ts';
import { openRehearsal, type Rehearsal } from './rehearsal.ts';

const given = z.object({
  name: z.string(),
  realm: z.string(),
  title: z.string().optional(),
  source: z.string().max(200).optional(),
  nicks: z.string().optional(),
  channel: z.string().optional(),
  timezone: z.string().optional(),
  'dry-run': z.boolean().default(false),
});

/** Imports the archive of another service; returns the report. A dry run changes nothing. */
export async function importHistory(
  settings: ServerSettings,
  command: string,
  args: unknown,
): Promise<readonly object[]> {
  const word = command.slice('import '.length);
  const format = FORMATS[word];
  const parsed = given.safeParse(args);
  if (format === undefined || !parsed.success) {
    const { path: [option] = [], message = '' } = parsed.error?.issues[0] ?? {};
    throw new CommandError(
      option === undefined
        ? `Usage: confab ${command} <archive> --realm <name>`
        : `--${String(option)} is wrong: ${message}`,
      EXIT.usage,
    );
  }
  const { name: path, realm, title, source: named, 'dry-run': isDryRun, ...options } = parsed.data;
  const source = `${word}:${named ?? basename(path).replace(/\.(?:zip|tar|tgz|gz|jsonl)\b/g, '')}`;
  giveWay();
  void giveWayEntirely();
  const leaveSignals = endBySignals();
  let archive: ArchiveSource | undefined;
  let rehearsal: Rehearsal | undefined;
  try {
    archive = await openArchiveSource(resolve(path));
    const reading = { format, archive, options: optionsOf(options) };
    const own = { settings, data: resolve(settings.data), files: undefined };
    if (isDryRun) rehearsal = await openRehearsal({ ...own, realm });
    const { report, url } = await run(rehearsal ?? own, {
      ...reading,
      of: { realm, source, format: word },
      title,
    });
    return report.lines({ realm, source, is_dry_run: isDryRun, ...(isDryRun ? {} : { url }) });
  } finally {
    await archive?.close();
    rehearsal?.close();
    leaveSignals();
  }
}

type Into = Pick<Rehearsal, 'settings' | 'data'> & { readonly files: ImportedFiles | undefined };
type Importing = Pick<RunInput, 'format' | 'archive' | 'options' | 'of'> & {
  readonly title: string | undefined;
};

/** Imports into a data directory; returns the report, and the address where people log in. */
async function run({ settings, data, files }: Into, { title, ...importing }: Importing) {
  const { of } = importing;
  const session = await openImportSession(settings, data);
  const progress = showProgress();
  try {
    let begun: Promise<object> | undefined;
    // The realm is made when the archive has turned out to be one of this format.
    const begin = () =>
      (begun ??= session.ask('import begin', { ...of, ...(title && { title }) }).then((reply) => {
        noteOthers(of.format, reply);
        return reply;
      }));
    const report = await runImport({
      ...importing,
      async ask(step, given) {
        await begin();
        return await session.ask(step, given);
      },
      async open() {
        const reply = await begin();
        const reader = session.readerOf(of.realm);
        return openTarget({ settings, data, begun: reply, reader, files });
      },
      onProgress: progress.note,
    });
    return { report, url: urlIn(await begin()) };
  } finally {
    progress.stop();
    await session.close();
    giveToOwner(data);
  }
}

/** Warns that an archive of another name is another source, whose messages are all new. */
function noteOthers(format: string, begun: object) {
  const { others = [] } = begun as { readonly others?: readonly string[] };
  if (others.length === 0) return;
  const names = others.map((source) => source.slice(format.length + 1)).slice(0, NAMED_MAX);
  process.stderr.write(
    `confab: earlier imports here came from archives named ${names.join(', ')}. If this archive ` +
      `continues one of them, pass --source <that name>: otherwise its messages will be here twice\n`,
  );
}

const NAMED_MAX = 5;

const urlIn = (begun: object): string => (begun as { site: { url: string } }).site.url;

/**
 * Temporary files are removed at an exit, which a signal is none of by itself. Returns the function
 * that leaves signals alone again.
 */
function endBySignals(): () => void {
  const ends = Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }).map(
    ([signal, code]) => [signal, () => process.exit(code)] as const,
  );
  for (const [signal, end] of ends) process.once(signal, end);
  return () => {
    for (const [signal, end] of ends) process.off(signal, end);
  };
}

function optionsOf({
  nicks,
  channel,
  timezone,
}: Pick<z.output<typeof given>, 'nicks' | 'channel' | 'timezone'>): FormatOptions {
  return {
    ...(nicks === undefined ? {} : { nicks: nicksIn(resolve(nicks)) }),
    ...(channel === undefined ? {} : { channel }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

const person = z.object({
  nick: z.string(),
  full_name: z.string(),
  email: z.string().optional(),
});

/** Reads JSON lines of who has which nick. */
function nicksIn(path: string): NonNullable<FormatOptions['nicks']> {
  const nicks = new Map<string, { name: string; email?: string }>();
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = undefined;
    }
    const parsed = person.safeParse(value);
    if (!parsed.success) {
      throw new CommandError(
        `${path}, line ${index + 1} is not {"nick","full_name","email"}`,
        EXIT.usage,
      );
    }
    const { nick, full_name: name, email } = parsed.data;
    nicks.set(nick, email === undefined ? { name } : { name, email });
  }
  return nicks;
}

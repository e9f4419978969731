import { SERVICE_VERSION } from '../../version.ts';

/** News that organizations get when their server has become this version. */
export interface Release {
  readonly version: string;
  /** Markdown, in the language of those who use the server: what they can do now. */
  readonly news: string;
}

/** Oldest first. The last one is this version, which a test compares. */
export const RELEASES: readonly Release[] = [
  {
    version: '0.1.0',
    news: [
      '* Search finds words, phrases and beginnings of words (`plan*`) in everything you may read.',
      '* Reminders, scheduled messages, drafts and saved snippets are kept on the server.',
      '* Pictures, films and pages that a message links are shown with it.',
    ].join('\n'),
  },
];

/** Returns the releases newer than that version, up to the one that runs. */
export const newsSince = (
  version: string,
  { releases = RELEASES, present = SERVICE_VERSION } = {},
): readonly Release[] =>
  releases.filter(
    (release) => isNewer(release.version, version) && !isNewer(release.version, present),
  );

/** Versions are three numbers (semantic versioning). */
function isNewer(one: string, other: string): boolean {
  const [numbers, others] = [one, other].map((version) => version.split('.').map(Number));
  const difference = numbers?.map((number, index) => number - (others?.[index] ?? 0)) ?? [];
  return (difference.find((by) => by !== 0) ?? 0) > 0;
}

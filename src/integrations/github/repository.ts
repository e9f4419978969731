import { z } from 'zod';
import { commitLines, isNothing, refOf } from '../commits.ts';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, counted, link, plain, quoted, strong } from '../texts.ts';
import { base, by, person, repository, repositoryLink, sender } from './objects.ts';

const PUSH = z.object({
  ref: z.string(),
  before: someText,
  after: someText,
  created: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
  forced: z.boolean().nullish(),
  compare: someText,
  commits: z.array(z.object({ id: z.string(), message: z.string(), url: someText })).nullish(),
  pusher: z.object({ name: someText }).nullish(),
  repository,
  sender,
});

const sayPush = reading(PUSH, (payload) => {
  const { repository: where, sender: one, pusher, compare } = payload;
  const { kind, name } = refOf(payload.ref);
  const commits = payload.commits ?? [];
  const who = strong(one?.login ?? pusher?.name);
  const ref = `${kind} ${code(name)}`;
  const sentence = () => {
    if (payload.deleted || isNothing(payload.after)) return `deleted ${ref}`;
    if (kind === 'tag') return `${link('pushed', compare)} ${ref}`;
    const verb = payload.forced ? 'force-pushed' : 'pushed';
    const count = counted(commits.length, 'commit');
    if (payload.created || isNothing(payload.before)) {
      return commits.length === 0
        ? `${link('created', compare)} ${ref}`
        : `${link('created', compare)} ${ref} with ${count}`;
    }
    return `${link(verb, compare)} ${count} to ${ref}`;
  };
  const lines = payload.deleted || kind === 'tag' ? [] : commitLines(commits);
  return {
    topic: kind === 'tag' ? where.name : `${where.name} / ${name}`,
    parts: [`${who} ${sentence()}${lines.length > 0 ? ':' : '.'}`, ...spaced(lines)],
    names: [kind === 'tag' ? 'push_tags' : 'push_commits'],
    branch: kind === 'branch' ? name : undefined,
  };
});

/** Puts a blank line before a list. */
const spaced = ([first, ...rest]: readonly string[]) =>
  first === undefined ? [] : [`\n${first}`, ...rest];

const refChange = (verb: string) =>
  reading(
    z.object({ ref: z.string(), ref_type: z.string(), repository, sender }),
    ({ ref, ref_type, repository: where, sender: one }) => ({
      topic: where.name,
      parts: [`${by(one)} ${verb} ${plain(ref_type)} ${code(ref)} in ${repositoryLink(where)}.`],
      branch: ref_type === 'branch' ? ref : undefined,
    }),
  );

const sayRelease = reading(
  z.object({
    ...base,
    release: z.object({
      tag_name: z.string(),
      name: someText,
      body: someText,
      html_url: someText,
      prerelease: z.boolean().nullish(),
    }),
  }),
  ({ action, repository: where, sender: one, release }) => {
    // GitHub also sends `created`, `released` and `prereleased` for the same release.
    if (!['published', 'unpublished', 'edited', 'deleted'].includes(action)) return undefined;
    const title = plain(release.name ?? '') || plain(release.tag_name);
    const kind = release.prerelease ? 'pre-release' : 'release';
    const body = action === 'published' || action === 'edited' ? quoted(release.body) : '';
    const what = `${kind} ${link(title, release.html_url)} of ${repositoryLink(where)}`;
    return { topic: where.name, parts: [`${by(one)} ${action} ${what}${body ? ':' : '.'}`, body] };
  },
);

const sayFork = reading(
  z.object({ repository, sender, forkee: repository }),
  ({ repository: where, sender: one, forkee }) => ({
    topic: where.name,
    parts: [`${by(one)} forked ${repositoryLink(where)} to ${repositoryLink(forkee)}.`],
  }),
);

const sayStar = reading(z.object(base), ({ action, repository: where, sender: one }) => {
  if (action !== 'created' && action !== 'deleted') return undefined;
  const verb = action === 'created' ? 'starred' : 'unstarred';
  return { topic: where.name, parts: [`${by(one)} ${verb} ${repositoryLink(where)}.`] };
});

/** GitHub reports users who follow a repository apart from users who star it. */
const sayWatch = reading(z.object(base), ({ action, repository: where, sender: one }) => {
  if (action !== 'started') return undefined;
  return { topic: where.name, parts: [`${by(one)} watches ${repositoryLink(where)}.`] };
});

const sayPublic = reading(
  z.object({ repository, sender }),
  ({ repository: where, sender: one }) => ({
    topic: where.name,
    parts: [`${by(one)} made ${repositoryLink(where)} public.`],
  }),
);

const REPOSITORY = z.object({
  ...base,
  changes: z
    .object({
      repository: z.object({ name: z.object({ from: someText }).nullish() }).nullish(),
      owner: z
        .object({
          from: z.object({ user: person.nullish(), organization: person.nullish() }).nullish(),
        })
        .nullish(),
      default_branch: z.object({ from: someText }).nullish(),
      description: z.object({ from: someText }).nullish(),
      homepage: z.object({ from: someText }).nullish(),
    })
    .nullish(),
});

function edited({ repository: where, changes }: z.output<typeof REPOSITORY>): string {
  const it = repositoryLink(where);
  if (changes?.default_branch?.from) {
    const now = where.default_branch ? ` to ${code(where.default_branch)}` : '';
    return `changed the default branch of ${it} from ${code(changes.default_branch.from)}${now}`;
  }
  if (changes?.description != null) return `changed the description of ${it}`;
  if (changes?.homepage != null) return `changed the home page of ${it}`;
  return `edited ${it}`;
}

const sayRepository = reading(REPOSITORY, (payload) => {
  const { action, repository: where, sender: one, changes } = payload;
  const it = repositoryLink(where);
  const name = changes?.repository?.name?.from;
  const owner = changes?.owner?.from?.user ?? changes?.owner?.from?.organization;
  const sentences = new Map([
    ['created', `created ${it}`],
    ['deleted', `deleted ${it}`],
    ['archived', `archived ${it}`],
    ['unarchived', `unarchived ${it}`],
    ['edited', edited(payload)],
    ['renamed', `renamed ${name ? `${plain(name)} to ` : ''}${it}`],
    ['transferred', `transferred ${it}${owner ? ` from ${plain(owner.login)}` : ''}`],
    ['publicized', `made ${it} public`],
    ['privatized', `made ${it} private`],
  ]);
  const sentence = sentences.get(action);
  return sentence === undefined
    ? undefined
    : { topic: where.name, parts: [`${by(one)} ${sentence}.`] };
});

const sayMember = reading(
  z.object({ ...base, member: person }),
  ({ action, repository: where, sender: one, member }) => {
    const [whom, it] = [strong(member.login), repositoryLink(where)];
    const sentences = new Map([
      ['added', `added ${whom} to ${it}`],
      ['edited', `changed what ${whom} may do in ${it}`],
      ['removed', `removed ${whom} from ${it}`],
    ]);
    const sentence = sentences.get(action);
    return sentence === undefined
      ? undefined
      : { topic: where.name, parts: [`${by(one)} ${sentence}.`] };
  },
);

const sayWiki = reading(
  z.object({
    repository,
    sender,
    pages: z.array(z.object({ title: z.string(), action: z.string(), html_url: someText })).min(1),
  }),
  ({ repository: where, sender: one, pages }) => ({
    topic: `${where.name} / wiki`,
    parts: [
      `${by(one)} changed the wiki of ${repositoryLink(where)}:`,
      ...spaced(
        pages
          .slice(0, 20)
          .map(
            ({ title, action, html_url }) => `* ${plain(action)} ${link(plain(title), html_url)}`,
          ),
      ),
    ],
  }),
);

const sayPing = reading(
  z.object({
    zen: someText,
    repository: repository.nullish(),
    organization: person.nullish(),
    sender,
  }),
  ({ repository: where, organization, sender: one }) => {
    const what = where ? repositoryLink(where) : plain(organization?.login ?? '') || 'GitHub';
    return {
      topic: where?.name ?? organization?.login ?? 'GitHub',
      parts: [`${by(one)} connected ${what} with this conversation.`],
    };
  },
);

/** Events about a repository and its content. */
export const REPOSITORY_EVENTS = {
  ping: sayPing,
  push: sayPush,
  create: refChange('created'),
  delete: refChange('deleted'),
  release: sayRelease,
  fork: sayFork,
  star: sayStar,
  watch: sayWatch,
  public: sayPublic,
  repository: sayRepository,
  member: sayMember,
  gollum: sayWiki,
};

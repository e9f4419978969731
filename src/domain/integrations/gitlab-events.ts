import { z } from 'zod';
import { commitLines, isNothing, refOf } from './commits.ts';
import { type EventReader, reading } from './events.ts';
import { someText } from './payload.ts';
import { code, counted, link, plain, quoted, strong } from './texts.ts';

/** What payloads of GitLab have in common, as its documentation of webhook events describes them. */
const project = z.object({ name: z.string(), web_url: someText });
const user = z.object({ name: someText, username: someText }).nullish();

const by = (one: z.output<typeof user>) => strong(one?.name ?? one?.username);

const PUSH = z.object({
  ref: z.string(),
  before: someText,
  after: someText,
  user_name: someText,
  user_username: someText,
  total_commits_count: z.int().nullish(),
  commits: z.array(z.object({ id: z.string(), message: z.string(), url: someText })).nullish(),
  project,
});

const sayPush = reading(PUSH, (payload) => {
  const { project: where, before, after } = payload;
  const { kind, name } = refOf(payload.ref);
  const who = strong(payload.user_name ?? payload.user_username);
  const ref = `${kind} ${code(name)}`;
  // The newest last, as they were made.
  const commits = payload.commits ?? [];
  const lines = kind === 'tag' || isNothing(after) ? [] : commitLines(commits);
  const sentence = () => {
    if (isNothing(after)) return `deleted ${ref}`;
    if (kind === 'tag') return `pushed ${ref}`;
    const count = counted(payload.total_commits_count ?? commits.length, 'commit');
    if (!isNothing(before)) return `pushed ${count} to ${ref}`;
    return commits.length === 0 ? `created ${ref}` : `created ${ref} with ${count}`;
  };
  const [first, ...rest] = lines;
  return {
    topic: kind === 'tag' ? where.name : `${where.name} / ${name}`,
    parts: [
      `${who} ${sentence()} of ${link(plain(where.name), where.web_url)}${first ? ':' : '.'}`,
      ...(first === undefined ? [] : [`\n${first}`, ...rest]),
    ],
    branch: kind === 'branch' ? name : undefined,
  };
});

const numbered = z.object({ iid: z.int(), title: z.string(), url: someText });
type Numbered = z.output<typeof numbered>;

const issueLink = ({ iid, title, url }: Numbered) => link(`issue #${iid} ${plain(title)}`, url);
const mergeLink = ({ iid, title, url }: Numbered) => link(`MR !${iid} ${plain(title)}`, url);
const issueTopic = (name: string, { iid, title }: Numbered) => `${name} / issue #${iid} ${title}`;
const mergeTopic = (name: string, { iid, title }: Numbered) => `${name} / MR !${iid} ${title}`;

const people = z.array(z.object({ name: someText, username: someText })).nullish();

const assigned = (assignees: z.output<typeof people>) =>
  (assignees ?? []).length === 0
    ? ''
    : ` (assigned to ${(assignees ?? []).slice(0, 10).map(by).join(', ')})`;

const VERBS: ReadonlyMap<string, string> = new Map([
  ['open', 'opened'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['update', 'updated'],
]);

const attributes = numbered.extend({ action: someText, description: someText });

const sayIssue = reading(
  z.object({ user, project, object_attributes: attributes, assignees: people }),
  ({ user: one, project: where, object_attributes: about, assignees }) => {
    const verb = VERBS.get(about.action ?? '');
    if (verb === undefined) return undefined;
    const isOpened = about.action === 'open';
    const body = isOpened ? quoted(about.description) : '';
    const whose = isOpened ? assigned(assignees) : '';
    return {
      topic: issueTopic(where.name, about),
      parts: [`${by(one)} ${verb} ${issueLink(about)}${whose}${body ? ':' : '.'}`, body],
    };
  },
);

const MERGE_VERBS: ReadonlyMap<string, string> = new Map([
  ...VERBS,
  ['merge', 'merged'],
  ['approved', 'approved'],
  ['unapproved', 'unapproved'],
  ['approval', 'added an approval to'],
  ['unapproval', 'took back an approval of'],
]);

const sayMerge = reading(
  z.object({
    user,
    project,
    object_attributes: attributes.extend({
      source_branch: someText,
      target_branch: someText,
      oldrev: someText,
    }),
    assignees: people,
  }),
  ({ user: one, project: where, object_attributes: about, assignees }) => {
    const { action, source_branch: from, target_branch: to, oldrev } = about;
    // With an update that brought commits comes what was there before them.
    const verb = action === 'update' && oldrev ? 'pushed to' : MERGE_VERBS.get(action ?? '');
    if (verb === undefined) return undefined;
    const isOpened = action === 'open';
    const branches =
      (isOpened || action === 'merge') && from && to ? ` from ${code(from)} to ${code(to)}` : '';
    const body = isOpened ? quoted(about.description) : '';
    const whose = isOpened ? assigned(assignees) : '';
    return {
      topic: mergeTopic(where.name, about),
      parts: [`${by(one)} ${verb} ${mergeLink(about)}${branches}${whose}${body ? ':' : '.'}`, body],
      branch: to ?? undefined,
    };
  },
);

const sayNote = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({ note: z.string(), noteable_type: z.string(), url: someText }),
    issue: numbered.nullish(),
    merge_request: numbered.nullish(),
    commit: z.object({ id: z.string(), url: someText }).nullish(),
    snippet: z.object({ title: z.string(), url: someText }).nullish(),
  }),
  ({ user: one, project: where, object_attributes: { note, url }, ...about }) => {
    const said = (it: string, topic: string) => ({
      topic,
      parts: [`${by(one)} ${link('commented', url)} on ${it}:`, quoted(note)],
    });
    const { issue, merge_request, commit, snippet } = about;
    if (issue) return said(issueLink(issue), issueTopic(where.name, issue));
    if (merge_request) return said(mergeLink(merge_request), mergeTopic(where.name, merge_request));
    if (commit) return said(`commit ${link(code(commit.id.slice(0, 7)), commit.url)}`, where.name);
    if (!snippet) return undefined;
    return said(
      `snippet ${link(plain(snippet.title), snippet.url)}`,
      `${where.name} / ${snippet.title}`,
    );
  },
);

const sayWiki = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({ title: z.string(), url: someText, action: z.string() }),
  }),
  ({ user: one, project: where, object_attributes: { title, url, action } }) => {
    const verbs = new Map([
      ['create', 'created'],
      ['update', 'updated'],
      ['delete', 'deleted'],
    ]);
    const verb = verbs.get(action);
    if (verb === undefined) return undefined;
    return {
      topic: `${where.name} / wiki`,
      parts: [`${by(one)} ${verb} wiki page ${link(plain(title), url)}.`],
    };
  },
);

const UNFINISHED: readonly string[] = ['created', 'pending', 'running', 'waiting_for_resource'];

const sayPipeline = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({
      id: z.int(),
      ref: someText,
      sha: someText,
      status: z.string(),
      url: someText,
    }),
    builds: z.array(z.object({ name: z.string(), status: z.string() })).nullish(),
  }),
  ({ user: one, project: where, object_attributes: { id, ref, sha, status, url }, builds }) => {
    if (UNFINISHED.includes(status)) return undefined;
    const failed = (builds ?? [])
      .filter((build) => build.status === 'failed')
      .map(({ name }) => `* ${code(name)} failed`);
    const title = link(
      `Pipeline #${id}`,
      url ?? (where.web_url && `${where.web_url}/-/pipelines/${id}`),
    );
    const of = sha ? ` of ${code(sha.slice(0, 7))}` : '';
    const [first, ...rest] = failed.slice(0, 20);
    return {
      topic: ref ? `${where.name} / ${ref}` : where.name,
      parts: [
        `${title}${of} by ${by(one)}: **${plain(status)}**`,
        ...(first === undefined ? [] : [`\n${first}`, ...rest]),
      ],
      branch: ref ?? undefined,
    };
  },
);

const sayBuild = reading(
  z.object({
    ref: someText,
    sha: someText,
    build_id: z.int(),
    build_name: z.string(),
    build_status: z.string(),
    user,
    project: project.nullish(),
    project_name: someText,
  }),
  ({ ref, sha, build_id, build_name, build_status, project: where, ...rest }) => {
    if (UNFINISHED.includes(build_status)) return undefined;
    const name = where?.name ?? rest.project_name ?? 'GitLab';
    const title = link(
      `Job ${plain(build_name)}`,
      where?.web_url && `${where.web_url}/-/jobs/${build_id}`,
    );
    const of = sha ? ` of ${code(sha.slice(0, 7))}` : '';
    return {
      topic: ref ? `${name} / ${ref}` : name,
      parts: [`${title}${of} by ${by(rest.user)}: **${plain(build_status)}**`],
      branch: ref ?? undefined,
    };
  },
);

const sayDeployment = reading(
  z.object({
    status: z.string(),
    environment: z.string(),
    short_sha: someText,
    commit_title: someText,
    deployable_url: someText,
    user,
    project,
  }),
  ({
    status,
    environment,
    short_sha,
    commit_title,
    deployable_url,
    user: one,
    project: where,
  }) => ({
    topic: `${where.name} / deployments`,
    parts: [
      `${link('Deployment', deployable_url)} of ${code(short_sha ?? '') || plain(where.name)}` +
        `${commit_title ? ` (${plain(commit_title)})` : ''} to ${strong(environment)} ` +
        `by ${by(one)}: **${plain(status)}**`,
    ],
  }),
);

const sayRelease = reading(
  z.object({
    action: z.string(),
    name: z.string(),
    tag: someText,
    description: someText,
    url: someText,
    project,
  }),
  ({ action, name, tag, description, url, project: where }) => {
    const verbs = new Map([
      ['create', 'published'],
      ['update', 'updated'],
      ['delete', 'deleted'],
    ]);
    const verb = verbs.get(action);
    if (verb === undefined) return undefined;
    const body = action === 'create' ? quoted(description) : '';
    const title = link(plain(name), url);
    const as = tag ? ` (tag ${code(tag)})` : '';
    return {
      topic: where.name,
      parts: [`Release ${title} of ${plain(where.name)} was ${verb}${as}${body ? ':' : '.'}`, body],
    };
  },
);

const sayFeatureFlag = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({ name: z.string(), active: z.boolean() }),
  }),
  ({ user: one, project: where, object_attributes: { name, active } }) => ({
    topic: where.name,
    parts: [`${by(one)} turned feature flag ${code(name)} ${active ? 'on' : 'off'}.`],
  }),
);

/** By `object_kind`. */
export const GITLAB_EVENTS: Readonly<Record<string, EventReader>> = {
  push: sayPush,
  tag_push: sayPush,
  issue: sayIssue,
  work_item: sayIssue,
  merge_request: sayMerge,
  note: sayNote,
  wiki_page: sayWiki,
  pipeline: sayPipeline,
  build: sayBuild,
  deployment: sayDeployment,
  release: sayRelease,
  feature_flag: sayFeatureFlag,
};

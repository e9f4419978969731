import { z } from 'zod';
import { NOTICE_URL_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { commitLines, isNothing, refOf } from '../commits.ts';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, counted, link, plain, quoted, strong } from '../texts.ts';
import {
  by,
  commitLink,
  mergeLink,
  mergeTopic,
  numbered,
  project,
  projectLink,
  user,
} from './objects.ts';

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
  // GitLab lists the newest commit last, in the order in which they were made.
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
      `${who} ${sentence()} of ${projectLink(where)}${first ? ':' : '.'}`,
      ...(first === undefined ? [] : [`\n${first}`, ...rest]),
    ],
    branch: kind === 'branch' ? name : undefined,
  };
});

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
      parts: [`${by(one)} ${verb} wiki page ${link(plain(title), url)} of ${projectLink(where)}.`],
    };
  },
);

const UNFINISHED: readonly string[] = [
  'created',
  'preparing',
  'pending',
  'running',
  'scheduled',
  'canceling',
  'waiting_for_resource',
  'waiting_for_callback',
];
/**
 * States of jobs that were not started; GitLab reports them as well each time that a pipeline is
 * made.
 */
const NOT_STARTED: readonly string[] = ['manual', 'skipped'];

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
    merge_request: numbered.nullish().catch(null),
    builds: z.array(z.object({ name: z.string(), status: z.string() })).nullish(),
  }),
  ({ user: one, project: where, object_attributes: about, merge_request: merge, builds }) => {
    const { id, ref, sha, status, url } = about;
    if (UNFINISHED.includes(status)) return undefined;
    const failed = (builds ?? [])
      .filter((build) => build.status === 'failed')
      .map(({ name }) => `* ${code(name)} failed`);
    const title = link(
      `Pipeline #${id}`,
      url ?? (where.web_url && `${where.web_url}/-/pipelines/${id}`),
    );
    const of = sha ? ` of ${commitLink(where, sha)}` : '';
    const why = merge ? ` for ${mergeLink(merge)}` : '';
    const [first, ...rest] = failed.slice(0, 20);
    return {
      topic: pipelineTopic(where.name, { ref, merge }),
      parts: [
        `${title}${of}${why} by ${by(one)}: **${plain(status)}**`,
        ...(first === undefined ? [] : [`\n${first}`, ...rest]),
      ],
      branch: ref ?? undefined,
    };
  },
);

/**
 * Returns the topic of a pipeline. The ref of a merge request's pipeline may be internal, so its
 * topic is the merge request.
 */
function pipelineTopic(
  name: string,
  { ref, merge }: Readonly<{ ref: string | null | undefined; merge: Merge }>,
): string {
  if (merge && (!ref || ref.startsWith('refs/'))) return mergeTopic(name, merge);
  return ref ? `${name} / ${ref}` : name;
}

type Merge = z.output<typeof numbered> | null | undefined;

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
    repository: z.object({ name: z.string(), homepage: someText }).nullish().catch(null),
  }),
  ({ ref, sha, build_id, build_name, build_status, project: where, ...rest }) => {
    if ([...UNFINISHED, ...NOT_STARTED].includes(build_status)) return undefined;
    const name = where?.name ?? rest.repository?.name ?? rest.project_name ?? 'GitLab';
    const url = where?.web_url ?? rest.repository?.homepage;
    const title = link(`Job ${plain(build_name)}`, url && `${url}/-/jobs/${build_id}`);
    const of = sha ? ` of ${commitLink({ web_url: url }, sha)}` : '';
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
    commit_url: someText,
    deployable_url: someText,
    user,
    project,
  }),
  ({
    status,
    environment,
    short_sha,
    commit_title,
    commit_url,
    deployable_url,
    user: one,
    project: where,
  }) => ({
    topic: `${where.name} / deployments`,
    parts: [
      `${link('Deployment', deployable_url)} of ${link(code(short_sha ?? ''), commit_url) || projectLink(where)}` +
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
      parts: [
        `Release ${title} of ${projectLink(where)} was ${verb}${as}${body ? ':' : '.'}`,
        body,
      ],
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
    parts: [
      `${by(one)} turned feature flag ${code(name)} of ${projectLink(where)} ${active ? 'on' : 'off'}.`,
    ],
  }),
);

const sayToken = reading(
  z.object({
    project: project.nullish(),
    group: z.object({ group_name: z.string() }).nullish(),
    object_attributes: z.object({ name: z.string(), expires_at: someText }),
  }),
  ({ project: where, group, object_attributes: { name, expires_at } }) => {
    const of = where ? projectLink(where) : plain(group?.group_name ?? '') || 'GitLab';
    const when = expires_at ? `on ${plain(expires_at)}` : 'soon';
    return {
      topic: where?.name ?? group?.group_name ?? 'GitLab',
      parts: [`Access token ${strong(name)} of ${of} expires ${when}.`],
    };
  },
);

const sayVulnerability = reading(
  z.object({
    object_attributes: z.object({
      title: z.string(),
      url: someText,
      state: someText,
      severity: someText,
    }),
  }),
  ({ object_attributes: { title, url, state, severity } }) => {
    // Only the URL names the project.
    const name = /\/([^/]{1,200})\/-\//.exec((url ?? '').slice(0, NOTICE_URL_LENGTH_MAX))?.[1];
    const words = [state, severity && `severity ${severity}`].filter((word) => word);
    const why = words.length === 0 ? '' : `: **${plain(words.join(', '))}**`;
    return {
      topic: `${name ?? 'GitLab'} / security`,
      parts: [`Vulnerability ${link(plain(title), url)}${why}`],
    };
  },
);

/** Events about code and what is built from it, by `object_kind`. */
export const GITLAB_CODE_EVENTS = {
  push: sayPush,
  tag_push: sayPush,
  wiki_page: sayWiki,
  pipeline: sayPipeline,
  build: sayBuild,
  deployment: sayDeployment,
  release: sayRelease,
  feature_flag: sayFeatureFlag,
  access_token: sayToken,
  vulnerability: sayVulnerability,
};

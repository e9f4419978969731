import { z } from 'zod';
import { reading, type Said } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain, quoted } from '../texts.ts';
import {
  by,
  issueLink,
  issueTopic,
  mergeLink,
  mergeTopic,
  numbered,
  person,
  project,
  projectLink,
  user,
} from './objects.ts';

const people = z.array(person).nullish();

const named = (some: People) => (some ?? []).slice(0, 10).map(by).join(', ');

const assigned = (assignees: People) =>
  (assignees ?? []).length === 0 ? '' : ` (assigned to ${named(assignees)})`;

const from = <T extends z.ZodType>(value: T) =>
  z.object({ previous: value, current: value }).nullish().catch(null);
const labels = z.array(z.object({ title: z.string() })).nullish();
const milestones = from(z.int().nullish());
const anything = z.unknown().optional();

/** The changes of an update, mostly only one of them. */
const changes = z
  .object({
    title: from(someText),
    draft: from(z.boolean().nullish()),
    assignees: from(people),
    reviewers: from(people),
    labels: from(labels),
    description: anything,
    milestone_id: milestones,
    due_date: anything,
    target_branch: from(someText),
  })
  .nullish()
  .catch(null);
type Changes = z.output<typeof changes>;
type People = z.output<typeof people>;

/**
 * Returns `{who} assigned {whom} to {it}` for users who were added, and the reverse for those who
 * were removed.
 */
function moved(
  change: { previous?: People; current?: People },
  { added, removed }: { added: (whom: string) => string; removed: (whom: string) => string },
): string {
  const without = (some: People, others: People) =>
    (some ?? []).filter(
      ({ username }) => !(others ?? []).some((other) => other.username === username),
    );
  const come = named(without(change.current, change.previous));
  const gone = named(without(change.previous, change.current));
  if (come && gone) return `${added(come)} in place of ${gone}`;
  return come ? added(come) : removed(gone || 'nobody');
}

function updated(it: string, changed: Changes): string {
  const { title, draft, assignees, reviewers, target_branch: target } = changed ?? {};
  if (draft != null) return draft.current ? `made ${it} a draft` : `marked ${it} as ready`;
  if (title?.previous) return `renamed ${it}, which was: ${plain(title.previous)}`;
  if (assignees != null) {
    return moved(assignees, {
      added: (whom) => `assigned ${whom} to ${it}`,
      removed: (whom) => `unassigned ${whom} from ${it}`,
    });
  }
  if (reviewers != null) {
    return moved(reviewers, {
      added: (whom) => `asked ${whom} for a review of ${it}`,
      removed: (whom) => `no longer asks ${whom} for a review of ${it}`,
    });
  }
  if (changed?.labels != null) return relabelled(it, changed.labels.current);
  if (target?.current) return `wants ${it} in ${code(target.current)} now`;
  if (changed?.milestone_id !== undefined) return remilestoned(it, changed.milestone_id);
  if (changed?.due_date !== undefined) return `changed the due date of ${it}`;
  if (changed?.description !== undefined) return `changed the description of ${it}`;
  return `updated ${it}`;
}

function relabelled(it: string, current: z.output<typeof labels>): string {
  const titles = (current ?? []).slice(0, 10).map(({ title }) => code(title));
  return titles.length === 0
    ? `took all labels off ${it}`
    : `changed the labels of ${it} to ${titles.join(', ')}`;
}

/**
 * Describes a change of the milestone without its name: the payload only has an internal number.
 */
function remilestoned(it: string, change: z.output<typeof milestones>): string {
  if (change?.current === null) return `took ${it} out of its milestone`;
  return change?.previous === null
    ? `put ${it} into a milestone`
    : `changed the milestone of ${it}`;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['open', 'opened'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
]);

const attributes = numbered.extend({ action: someText, description: someText, type: someText });

/** The group of work items such as epics, which belong to no project. */
const group = z.object({ group_name: someText, name: someText }).nullish().catch(null);

const sayIssue = reading(
  z.object({
    user,
    project: project.nullish(),
    group,
    object_attributes: attributes,
    assignees: people,
    changes,
  }),
  (payload): Said | undefined => {
    const { object_attributes: about, assignees, changes: changed } = payload;
    const noun = /^[A-Z][A-Za-z ]{1,30}$/.test(about.type ?? '') ? about.type : 'Issue';
    const it = issueLink(about, noun?.toLowerCase());
    const verb = VERBS.get(about.action ?? '');
    const sentence = about.action === 'update' ? updated(it, changed) : verb && `${verb} ${it}`;
    if (sentence === undefined) return undefined;
    const isOpened = about.action === 'open';
    const body = isOpened ? quoted(about.description) : '';
    const whose = isOpened ? assigned(assignees) : '';
    const name = payload.project?.name ?? payload.group?.group_name ?? payload.group?.name;
    return {
      topic: issueTopic(name ?? 'GitLab', about),
      parts: [`${by(payload.user)} ${sentence}${whose}${body ? ':' : '.'}`, body],
    };
  },
);

const MERGE = z.object({
  user,
  project,
  object_attributes: attributes.extend({
    source_branch: someText,
    target_branch: someText,
    oldrev: someText,
    draft: z.boolean().nullish(),
    work_in_progress: z.boolean().nullish(),
  }),
  assignees: people,
  changes,
});

function mergeSentence({ object_attributes: about, changes: changed }: z.output<typeof MERGE>) {
  const { action, source_branch, target_branch, oldrev, draft, work_in_progress } = about;
  const it = mergeLink(about);
  const branches =
    source_branch && target_branch ? ` from ${code(source_branch)} to ${code(target_branch)}` : '';
  const isDraft = draft ?? work_in_progress ?? false;
  const sentences = new Map([
    ['open', `opened ${isDraft ? 'draft ' : ''}${it}${branches}`],
    ['close', `closed ${it}`],
    ['reopen', `reopened ${it}`],
    ['merge', `merged ${it}${branches}`],
    // An update that brought commits has the revision before them.
    ['update', oldrev ? `pushed to ${it}` : updated(it, changed)],
    ['approved', `approved ${it}`],
    ['unapproved', `unapproved ${it}`],
    ['approval', `added an approval to ${it}`],
    ['unapproval', `took back an approval of ${it}`],
  ]);
  return sentences.get(action ?? '');
}

const sayMerge = reading(MERGE, (payload) => {
  const { user: one, project: where, object_attributes: about, assignees } = payload;
  const sentence = mergeSentence(payload);
  if (sentence === undefined) return undefined;
  const isOpened = about.action === 'open';
  const body = isOpened ? quoted(about.description) : '';
  const whose = isOpened ? assigned(assignees) : '';
  return {
    topic: mergeTopic(where.name, about),
    parts: [`${by(one)} ${sentence}${whose}${body ? ':' : '.'}`, body],
    branch: about.target_branch ?? undefined,
  };
});

/** The subject of a comment or a reaction: one of these is present. */
const subject = {
  issue: numbered.nullish(),
  merge_request: numbered.nullish(),
  commit: z.object({ id: z.string(), url: someText }).nullish(),
  snippet: z.object({ title: z.string(), url: someText }).nullish(),
};

function placeOf(
  name: string,
  { issue, merge_request: merge, commit, snippet }: z.output<z.ZodObject<typeof subject>>,
  page: string | undefined,
): { it: string; topic: string } | undefined {
  const leading = <T extends { url?: string | null | undefined }>(one: T) => ({
    ...one,
    url: one.url ?? page,
  });
  if (issue) return { it: issueLink(leading(issue)), topic: issueTopic(name, issue) };
  if (merge) return { it: mergeLink(leading(merge)), topic: mergeTopic(name, merge) };
  if (commit) {
    return { it: `commit ${link(code(commit.id.slice(0, 7)), commit.url ?? page)}`, topic: name };
  }
  if (!snippet) return undefined;
  const it = `snippet ${link(plain(snippet.title), snippet.url ?? page)}`;
  return { it, topic: `${name} / ${snippet.title}` };
}

/** The line of a comment on changes: in the new version of the file, or in the old one. */
const position = z
  .object({
    new_path: someText,
    new_line: z.int().nullish(),
    old_path: someText,
    old_line: z.int().nullish(),
  })
  .nullish()
  .catch(null);

function lineOf(at: z.output<typeof position>): string {
  const isNew = at?.new_line != null || at?.old_line == null;
  const path = isNew ? at?.new_path : at?.old_path;
  const line = isNew ? at?.new_line : at?.old_line;
  return path ? `${code(line == null ? path : `${path}:${line}`)} in ` : '';
}

const sayNote = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({
      note: z.string(),
      noteable_type: z.string(),
      url: someText,
      action: someText,
      position,
    }),
    ...subject,
  }),
  ({ user: one, project: where, object_attributes: comment, ...about }) => {
    const { note, url, action, position: at } = comment;
    // The issue or merge request of a comment has no URL of its own.
    const place = placeOf(where.name, about, url?.replace(/#.*$/s, ''));
    if (place === undefined) return undefined;
    const verb = action === 'update' ? 'edited a comment' : 'commented';
    const body = quoted(note);
    const sentence = `${by(one)} ${link(verb, url)} on ${lineOf(at)}${place.it}`;
    return { topic: place.topic, parts: [`${sentence}${body ? ':' : '.'}`, body] };
  },
);

const sayEmoji = reading(
  z.object({
    user,
    project,
    object_attributes: z.object({
      name: z.string(),
      action: someText,
      awardable_type: someText,
      awarded_on_url: someText,
    }),
    ...subject,
  }),
  ({ user: one, project: where, object_attributes: reaction, ...about }) => {
    const { name, action, awardable_type, awarded_on_url: url } = reaction;
    const place = placeOf(where.name, about, url?.replace(/#.*$/s, ''));
    if (place === undefined) return undefined;
    const it = awardable_type === 'Note' ? `${link('a comment', url)} on ${place.it}` : place.it;
    const sentences = new Map([
      ['award', `reacted with ${code(name)} to ${it}`],
      ['revoke', `took back the reaction ${code(name)} to ${it}`],
    ]);
    const sentence = sentences.get(action ?? '');
    if (sentence === undefined) return undefined;
    return { topic: place.topic, parts: [`${by(one)} ${sentence}.`] };
  },
);

const sayMilestone = reading(
  z.object({
    action: someText,
    project: project.nullish(),
    group,
    object_attributes: z.object({ title: z.string(), iid: z.int().nullish() }),
  }),
  ({ action, project: where, group: whole, object_attributes: { title, iid } }) => {
    const verbs = new Map([
      ['create', 'created'],
      ['close', 'closed'],
      ['reopen', 'reopened'],
      ['delete', 'deleted'],
    ]);
    const verb = verbs.get(action ?? '');
    if (verb === undefined) return undefined;
    const url = where?.web_url && iid != null ? `${where.web_url}/-/milestones/${iid}` : undefined;
    const it = link(plain(title), action === 'delete' ? undefined : url);
    const name = where?.name ?? whole?.group_name ?? whole?.name ?? 'GitLab';
    const of = where ? projectLink(where) : plain(name);
    return { topic: name, parts: [`Milestone ${it} of ${of} was ${verb}.`] };
  },
);

/** Events in which people talk about issues and changes, by `object_kind`. */
export const GITLAB_ISSUE_EVENTS = {
  issue: sayIssue,
  work_item: sayIssue,
  merge_request: sayMerge,
  note: sayNote,
  emoji: sayEmoji,
  milestone: sayMilestone,
};

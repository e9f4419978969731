import { z } from 'zod';
import { reading, type Said } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain, quoted, strong } from '../texts.ts';
import {
  base,
  by,
  comment,
  commented,
  commitLink,
  issue,
  issueLink,
  issueTopic,
  person,
  pullLink,
  pullRequest,
  pullTopic,
  repository,
  repositoryLink,
} from './objects.ts';

const details = {
  assignee: person.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: z.object({ title: z.string(), html_url: someText }).nullish(),
  changes: z
    .object({
      title: z.object({ from: someText }).nullish(),
      base: z.object({ ref: z.object({ from: someText }).nullish() }).nullish(),
      new_issue: z.object({ number: z.int(), html_url: someText }).nullish(),
      new_repository: repository.nullish(),
    })
    .nullish(),
};
type Details = z.output<z.ZodObject<typeof details>>;

/** Returns the sentence part `{verb} {it}` of an action that issues and pull requests share. */
function changed(
  action: string,
  it: string,
  { assignee, label, milestone, changes }: Details,
): string | undefined {
  const who = strong(assignee?.login);
  const which = `the label ${code(label?.name ?? '')}`;
  const when = milestone
    ? `milestone ${link(plain(milestone.title), milestone.html_url)}`
    : 'a milestone';
  const sentences: Readonly<Record<string, string>> = {
    opened: `opened ${it}`,
    reopened: `reopened ${it}`,
    closed: `closed ${it}`,
    edited: edited(it, changes),
    deleted: `deleted ${it}`,
    locked: `locked ${it}`,
    unlocked: `unlocked ${it}`,
    pinned: `pinned ${it}`,
    unpinned: `unpinned ${it}`,
    transferred: `transferred ${it}${destination(changes)}`,
    assigned: `assigned ${who} to ${it}`,
    unassigned: `unassigned ${who} from ${it}`,
    labeled: `added ${which} to ${it}`,
    unlabeled: `removed ${which} from ${it}`,
    milestoned: `added ${it} to ${when}`,
    demilestoned: `removed ${it} from ${when}`,
  };
  return Object.hasOwn(sentences, action) ? sentences[action] : undefined;
}

/** Describes an edit. The link has the new title, so only the old one is added. */
const edited = (it: string, changes: Details['changes']) =>
  changes?.title?.from ? `renamed ${it}, which was: ${plain(changes.title.from)}` : `edited ${it}`;

function destination(changes: Details['changes']): string {
  const { new_issue: there, new_repository: where } = changes ?? {};
  if (where == null) return '';
  if (there == null) return ` to ${repositoryLink(where)}`;
  return ` to ${link(plain(`${where.full_name || where.name}#${there.number}`), there.html_url)}`;
}

/** Tests whether the text is new: it is not shown again when only another field has changed. */
const isBodyNew = (action: string, changes: Details['changes']) =>
  action === 'opened' || (action === 'edited' && changes?.title == null && changes?.base == null);

const sayIssue = reading(
  z.object({ ...base, ...details, issue }),
  ({ action, repository, sender, issue: about, ...rest }): Said | undefined => {
    // GitHub also sends changes of a pull request, such as its labels, as events of an issue.
    const isPull = about.pull_request != null;
    const sentence = changed(action, (isPull ? pullLink : issueLink)(about), rest);
    if (sentence === undefined) return undefined;
    const isPlanned = action !== 'closed' || about.state_reason !== 'not_planned';
    const body = isBodyNew(action, rest.changes) ? quoted(about.body) : '';
    return {
      topic: (isPull ? pullTopic : issueTopic)(repository, about),
      parts: [
        `${by(sender)} ${sentence}${isPlanned ? '' : ' as not planned'}${body ? ':' : '.'}`,
        body,
      ],
    };
  },
);

const sayIssueComment = reading(
  z.object({ ...base, issue, comment }),
  ({ action, repository, sender, issue: about, comment: { html_url, body } }) => {
    const isPull = about.pull_request != null;
    const it = isPull ? pullLink(about) : issueLink(about);
    const said = { who: by(sender), it, url: html_url, body: quoted(body) };
    const parts = commented(action, said);
    return parts && { topic: (isPull ? pullTopic : issueTopic)(repository, about), parts };
  },
);

/** Names by which events about pull requests can also be filtered. */
const PULL_NAMES: Readonly<Record<string, string>> = {
  opened: 'opened_pull_request',
  reopened: 'opened_pull_request',
  closed: 'closed_pull_request',
  edited: 'updated_pull_request',
  synchronize: 'updated_pull_request',
  assigned: 'assigned_or_unassigned_pull_request',
  unassigned: 'assigned_or_unassigned_pull_request',
  labeled: 'pull_request_labeled_or_unlabeled',
  unlabeled: 'pull_request_labeled_or_unlabeled',
  milestoned: 'pull_request_milestoned_or_demilestoned',
  demilestoned: 'pull_request_milestoned_or_demilestoned',
  enqueued: 'pull_request_enqueued_or_dequeued',
  dequeued: 'pull_request_enqueued_or_dequeued',
  ready_for_review: 'pull_request_ready_for_review',
  review_requested: 'pull_request_review_requested',
};

const PULL = z.object({
  ...base,
  ...details,
  pull_request: pullRequest,
  requested_reviewer: person.nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
  before: someText,
  after: someText,
});

function pullSentence(payload: z.output<typeof PULL>): string | undefined {
  const { action, pull_request: about } = payload;
  const it = pullLink(about);
  const reviewer = strong(payload.requested_reviewer?.login ?? payload.requested_team?.name);
  const [from, to] = [about.head?.ref, about.base?.ref];
  const branches = from && to ? ` from ${code(from)} to ${code(to)}` : '';
  const sentences: Readonly<Record<string, string>> = {
    opened: `opened ${about.draft ? 'draft ' : ''}${it}${branches}`,
    closed: about.merged ? `merged ${it}${branches}` : `closed ${it} without merging it`,
    merged: `merged ${it}${branches}`,
    synchronize: `${link('pushed', comparison(payload))} to ${it}`,
    edited:
      payload.changes?.base != null && to
        ? `wants ${it} in ${code(to)} now`
        : edited(it, payload.changes),
    ready_for_review: `marked ${it} as ready for review`,
    converted_to_draft: `made ${it} a draft`,
    review_requested: `asked ${reviewer} for a review of ${it}`,
    review_request_removed: `no longer asks ${reviewer} for a review of ${it}`,
    auto_merge_enabled: `set ${it} to be merged automatically when it is ready`,
    auto_merge_disabled: `no longer has ${it} merged automatically`,
    enqueued: `added ${it} to the merge queue`,
    dequeued: `removed ${it} from the merge queue`,
  };
  return Object.hasOwn(sentences, action) ? sentences[action] : changed(action, it, payload);
}

const sayPull = reading(PULL, (payload) => {
  const { action, repository, sender, pull_request: about } = payload;
  const sentence = pullSentence(payload);
  if (sentence === undefined) return undefined;
  const body = isBodyNew(action, payload.changes) ? quoted(about.body) : '';
  const name = PULL_NAMES[action];
  return {
    topic: pullTopic(repository, about),
    parts: [`${by(sender)} ${sentence}${body ? ':' : '.'}`, body],
    names: name === undefined ? [] : [name],
    branch: about.base?.ref,
  };
});

const comparison = ({ repository: { html_url }, before, after }: z.output<typeof PULL>) =>
  html_url && before && after ? `${html_url}/compare/${before}...${after}` : undefined;

const REVIEWS: ReadonlyMap<string, string> = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'requested changes to'],
  ['commented', 'reviewed'],
]);

const sayReview = reading(
  z.object({
    ...base,
    pull_request: pullRequest,
    review: z.object({ state: z.string(), html_url: someText, body: someText }),
  }),
  ({ action, repository, sender, pull_request: about, review }) => {
    const verbs: Readonly<Record<string, string | undefined>> = {
      submitted: REVIEWS.get(review.state.toLowerCase()),
      edited: 'edited a review of',
      dismissed: 'dismissed a review of',
    };
    const verb = Object.hasOwn(verbs, action) ? verbs[action] : undefined;
    if (verb === undefined) return undefined;
    const body = action === 'dismissed' ? '' : quoted(review.body);
    const sentence = `${by(sender)} ${link(verb, review.html_url)} ${pullLink(about)}`;
    return { topic: pullTopic(repository, about), parts: [`${sentence}${body ? ':' : '.'}`, body] };
  },
);

const sayReviewComment = reading(
  z.object({
    ...base,
    pull_request: pullRequest,
    comment: comment.extend({ path: someText, line: z.int().nullish() }),
  }),
  ({
    action,
    repository,
    sender,
    pull_request: about,
    comment: { html_url, body, path, line },
  }) => {
    const place = path ? `${code(line == null ? path : `${path}:${line}`)} in ` : '';
    const it = `${place}${pullLink(about)}`;
    const said = { who: by(sender), it, url: html_url, body: quoted(body) };
    const parts = commented(action, said);
    return parts && { topic: pullTopic(repository, about), parts };
  },
);

const sayReviewThread = reading(
  z.object({ ...base, pull_request: pullRequest }),
  ({ action, repository, sender, pull_request: about }) => {
    if (action !== 'resolved' && action !== 'unresolved') return undefined;
    const sentence = `${by(sender)} marked a conversation in ${pullLink(about)} as ${action}.`;
    return { topic: pullTopic(repository, about), parts: [sentence] };
  },
);

const sayCommitComment = reading(
  z.object({ ...base, comment: comment.extend({ commit_id: z.string() }) }),
  ({ action, repository, sender, comment: { html_url, body, commit_id } }) => {
    const it = `commit ${commitLink(repository, commit_id)} of ${repositoryLink(repository)}`;
    const said = { who: by(sender), it, url: html_url, body: quoted(body) };
    const parts = commented(action, said);
    return parts && { topic: repository.name, parts };
  },
);

/** Events in which people talk about issues and changes. */
export const ISSUE_EVENTS = {
  issues: sayIssue,
  issue_comment: sayIssueComment,
  pull_request: sayPull,
  pull_request_review: sayReview,
  pull_request_review_comment: sayReviewComment,
  pull_request_review_thread: sayReviewThread,
  commit_comment: sayCommitComment,
};

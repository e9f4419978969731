import { z } from 'zod';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain, quoted } from '../texts.ts';
import { base, by, comment, commented, repositoryLink } from './objects.ts';

const discussion = z.object({
  number: z.int(),
  title: z.string(),
  html_url: someText,
  body: someText,
  category: z.object({ name: z.string() }).nullish().catch(null),
});
type Discussion = z.output<typeof discussion>;

const DISCUSSION = z.object({
  ...base,
  discussion,
  answer: comment.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  changes: z
    .object({
      title: z.object({ from: someText }).nullish(),
      new_discussion: z.object({ html_url: someText }).nullish(),
      new_repository: base.repository.nullish(),
    })
    .nullish(),
});

const linkTo = ({ number, title, html_url }: Discussion) =>
  link(`discussion #${number} ${plain(title)}`, html_url);

const topicOf = ({ name }: { name: string }, { number, title }: Discussion) =>
  `${name} / discussion #${number} ${title}`;

function sentenceOf({ action, discussion: about, ...payload }: z.output<typeof DISCUSSION>) {
  const { answer, label, changes } = payload;
  const it = linkTo(about);
  const which = `the label ${code(label?.name ?? '')}`;
  const category = plain(about.category?.name ?? '') || 'another category';
  const moved = changes?.new_repository ? ` to ${repositoryLink(changes.new_repository)}` : '';
  const sentences = new Map([
    ['created', `started ${it}`],
    [
      'edited',
      changes?.title?.from
        ? `renamed ${it}, which was: ${plain(changes.title.from)}`
        : `edited ${it}`,
    ],
    ['deleted', `deleted ${it}`],
    ['answered', `chose ${link('an answer', answer?.html_url)} to ${it}`],
    ['unanswered', `took back the answer to ${it}`],
    ['closed', `closed ${it}`],
    ['reopened', `reopened ${it}`],
    ['locked', `locked ${it}`],
    ['unlocked', `unlocked ${it}`],
    ['pinned', `pinned ${it}`],
    ['unpinned', `unpinned ${it}`],
    ['labeled', `added ${which} to ${it}`],
    ['unlabeled', `removed ${which} from ${it}`],
    ['category_changed', `moved ${it} to ${category}`],
    ['transferred', `transferred ${it}${moved}`],
  ]);
  return sentences.get(action);
}

/** Returns the text that is new. */
function bodyOf({ action, discussion: about, answer, changes }: z.output<typeof DISCUSSION>) {
  if (action === 'answered') return quoted(answer?.body);
  const isRenamed = action === 'edited' && changes?.title != null;
  return action === 'created' || (action === 'edited' && !isRenamed) ? quoted(about.body) : '';
}

const sayDiscussion = reading(DISCUSSION, (payload) => {
  const sentence = sentenceOf(payload);
  if (sentence === undefined) return undefined;
  const body = bodyOf(payload);
  const end = body ? ':' : '.';
  return {
    topic: topicOf(payload.repository, payload.discussion),
    parts: [`${by(payload.sender)} ${sentence}${end}`, body],
  };
});

const sayDiscussionComment = reading(
  z.object({ ...base, discussion, comment }),
  ({ action, repository, sender, discussion: about, comment: { html_url, body } }) => {
    const said = { who: by(sender), it: linkTo(about), url: html_url, body: quoted(body) };
    const parts = commented(action, said);
    return parts && { topic: topicOf(repository, about), parts };
  },
);

export const DISCUSSION_EVENTS = {
  discussion: sayDiscussion,
  discussion_comment: sayDiscussionComment,
};

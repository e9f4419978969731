import type { Message } from '../../store/feed/message.ts';
import {
  addedOption,
  type PollAction,
  type PollOption,
  pollOf,
  votedFor,
} from '../../store/widgets/poll.ts';
import { attempt, useFeed } from '../feed/context.ts';
import { OneLineForm } from './one-line-form.tsx';
import { WidgetTitle } from './widget-title.tsx';

/** A poll: each option with those who voted for it, and a field for a further one. */
export function PollView({ message }: { readonly message: Message }) {
  const scope = useFeed();
  const { acts, directory } = scope.store;
  const { ownId } = directory;
  const poll = pollOf(message);
  const act = (action: PollAction) => attempt(scope, acts.actOnWidget(message.id, action));
  const voters = new Set(poll.options.flatMap((option) => option.voters)).size;
  const isOwn = message.sender_id === ownId;
  return (
    <section class="widget" aria-label="Poll">
      <WidgetTitle
        title={poll.question}
        ifEmpty="A poll without a question"
        of="question"
        onChange={isOwn ? (question) => act({ type: 'question', question }) : undefined}
      />
      {poll.options.length === 0 ? <p class="muted">There is nothing to choose from yet.</p> : null}
      <ul class="poll-options">
        {poll.options.map((option) => (
          <OptionLine
            key={option.key}
            option={option}
            voters={voters}
            isOwn={option.voters.includes(ownId)}
            onVote={() => act(votedFor(option, ownId))}
          />
        ))}
      </ul>
      <OneLineForm
        label="Another option"
        submit="Add"
        onSubmit={(text) => {
          const action = addedOption(message, poll, { text, userId: ownId });
          if (action === null) scope.say?.('That option is there already.');
          else act(action);
          return action !== null;
        }}
      />
      <p class="muted">{voters === 1 ? '1 person has voted' : `${voters} people have voted`}</p>
    </section>
  );
}

/** So many names are told; the rest is a number. */
const NAMES_MAX = 12;

interface OptionLineProps {
  readonly option: PollOption;
  /** How many people voted for any option. */
  readonly voters: number;
  readonly isOwn: boolean;
  readonly onVote: () => void;
}

function OptionLine({ option, voters, isOwn, onVote }: OptionLineProps) {
  const { store } = useFeed();
  const { ownId, person } = store.directory;
  const count = option.voters.length;
  const names = option.voters
    .slice(0, NAMES_MAX)
    .map((id) => (id === ownId ? 'you' : (person(id)?.name ?? 'somebody')));
  if (count > NAMES_MAX) names.push(`${count - NAMES_MAX} more`);
  return (
    <li>
      <button
        type="button"
        class="vote"
        aria-pressed={isOwn}
        style={{ '--share': `${voters === 0 ? 0 : Math.round((count / voters) * 100)}%` }}
        onClick={onVote}
      >
        <span class="vote-count">
          {count}
          <span class="unseen">{count === 1 ? ' vote for' : ' votes for'}</span>
        </span>
        <span class="vote-text">{option.text}</span>
      </button>
      {names.length === 0 ? null : <span class="muted">{names.join(', ')}</span>}
    </li>
  );
}

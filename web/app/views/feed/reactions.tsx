import type { Emoji, Message, Reaction } from '../../store/feed/message.ts';
import { charactersOf } from './body.tsx';
import { attempt, type FeedScope, useFeed } from './context.ts';

/** So many names are told of those who reacted; the rest is a number. */
const NAMES_MAX = 8;

/** The reactions to a message: each adds one's own, or takes it back. */
export function Reactions({ message }: { readonly message: Message }) {
  const scope = useFeed();
  const { directory, acts } = scope.store;
  if (message.reactions.length === 0) return null;
  return (
    <div class="reactions">
      {grouped(message.reactions).map((all) => {
        const [first] = all;
        const isOwn = all.some(({ user_id }) => user_id === directory.ownId);
        const names = namesOf(all, scope);
        return (
          <button
            key={`${first.reaction_type} ${first.emoji_code}`}
            type="button"
            class="reaction"
            aria-pressed={isOwn}
            title={`${names} · :${first.emoji_name}:`}
            onClick={() => attempt(scope, acts.react(message, first))}
          >
            <EmojiImage emoji={first} />
            <span class="count">{all.length}</span>
            <span class="unseen">
              {first.emoji_name} by {names}
            </span>
          </button>
        );
      })}
    </div>
  );
}

type Group = readonly [Reaction, ...Reaction[]];

/** Reactions with the same emoji together, in the order of the first of each. */
function grouped(reactions: readonly Reaction[]): readonly Group[] {
  const groups = new Map<string, [Reaction, ...Reaction[]]>();
  for (const reaction of reactions) {
    const key = `${reaction.reaction_type} ${reaction.emoji_code}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [reaction]);
    else group.push(reaction);
  }
  return [...groups.values()];
}

function namesOf(reactions: readonly Reaction[], { store }: FeedScope): string {
  const { ownId, person } = store.directory;
  const shown = reactions
    .slice(0, NAMES_MAX)
    .map(({ user_id: id }) => (id === ownId ? 'you' : (person(id)?.name ?? 'somebody')));
  const rest = reactions.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

/** An emoji: characters, or the picture of one of the organization's own. */
export function EmojiImage({ emoji }: { readonly emoji: Emoji }) {
  const { store } = useFeed();
  if (emoji.reaction_type === 'unicode_emoji') {
    return <span class="emoji">{charactersOf(emoji.emoji_code)}</span>;
  }
  const own = store.directory.ownEmoji().find(({ id }) => id === emoji.emoji_code);
  if (own === undefined) return <span class="emoji name">:{emoji.emoji_name}:</span>;
  return <img class="emoji" src={own.url} alt="" width="20" height="20" />;
}

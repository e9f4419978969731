import { useComputed, useSignal } from '@preact/signals';
import { Avatar } from '../../parts/avatar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lazy } from '../../parts/lazy.tsx';
import type { Message } from '../../store/feed/message.ts';
import type { Row } from '../../store/feed/rows.ts';
import { openPanel } from '../../store/panels.ts';
import { clock, wholeTime } from '../../store/times.ts';
import { widgetOf } from '../../store/widgets/widget.ts';
import { Body } from './body.tsx';
import { attempt, type FeedScope, useFeed } from './context.ts';
import type { FeedView } from './feed-view.ts';
import { linkTo } from './links.ts';
import { PlaceBar } from './place-bar.tsx';
import { Reactions } from './reactions.tsx';
import { useMeasured } from './use-measured.ts';

const Widget = lazy(async () => (await import('../widgets/widget.tsx')).Widget);
const MessageEditor = lazy(async () => (await import('./message-editor.tsx')).MessageEditor);
const MessageTools = lazy(async () => (await import('./message-tools.tsx')).MessageTools);

export interface MessageRowProps {
  readonly row: Extract<Row, { kind: 'message' }>;
  readonly view: FeedView;
  /** How many messages there are; negative if that is not known. */
  readonly count: number;
}

/**
 * A message: who, when, what, and the reactions to it. It has no state but signals, so that it is
 * rendered again only for another row or when one of them changes. Most of its parts are functions
 * and no components, which would take a third of the time.
 */
export function MessageRow({ row, view, count }: MessageRowProps) {
  const own = useMeasured(view);
  const scope = useFeed();
  const { store } = scope;
  const { message, hasHead, hasPlace, isFirstUnread, position } = row;
  const { id } = message;
  const isPointed = useSignal(false);
  const isSelected = useComputed(() => store.selectedId.value === id).value;
  const isEdited = useComputed(() => store.acts.editing.value?.id === id).value;
  const changer = useComputed(() => store.changing.others.value.get(id)).value;
  const person = senderOf(message, scope);
  const isMention = MENTIONS.some((flag) => message.flags.includes(flag));
  const classes = ['message'];
  if (hasHead) classes.push('lead');
  if (isMention) classes.push('mention');
  if (message.is_me_message) classes.push('me');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the name is a button, and a key opens it.
    <article
      ref={own}
      class="feed-row feed-message"
      data-key={row.key}
      data-id={id}
      tabIndex={isSelected ? 0 : -1}
      aria-posinset={position}
      aria-setsize={count}
      aria-label={`${person.name}, ${wholeTime(message.timestamp * 1_000)}`}
      onClick={(event) => {
        const personId = personAt(event.target, person.id);
        if (personId !== null) scope.showPerson?.(personId);
        const groupId = groupAt(event.target);
        if (groupId !== null) scope.showGroup?.(groupId);
        const href = pictureAt(event);
        if (href === null || scope.showPicture === undefined) return;
        event.preventDefault();
        scope.showPicture(id, href);
      }}
      onPointerEnter={() => {
        isPointed.value = true;
      }}
      onPointerLeave={() => {
        isPointed.value = false;
      }}
    >
      {isFirstUnread ? <NewLine /> : null}
      {hasPlace ? <PlaceBar message={message} /> : null}
      <div class={classes.join(' ')}>
        {hasHead ? (
          <div class="gutter">
            <Avatar person={person} />
          </div>
        ) : null}
        <div class="text">
          {hasHead ? (
            <header>
              <button type="button" class="name" onClick={() => scope.showPerson?.(person.id)}>
                {person.name}
              </button>
              {person.isBot ? <span class="badge">bot</span> : null}
              {timeOf(message, scope)}
              {marksOf(message)}
            </header>
          ) : (
            marksOf(message)
          )}
          {isEdited ? <MessageEditor /> : contentOf(message, scope)}
          {changer === undefined ? null : changingBy(changer, message, scope)}
          {message.reactions.length === 0 ? null : <Reactions message={message} />}
        </div>
        {(isPointed.value || isSelected) && !isEdited ? <MessageTools message={message} /> : null}
      </div>
    </article>
  );
}

function contentOf(message: Message, { store }: FeedScope) {
  const { directory } = store;
  if (widgetOf(message) !== null) return <Widget message={message} />;
  return (
    <Body
      id={message.id}
      html={message.match_content ?? message.content}
      ownId={directory.ownId}
      isOwnGroup={directory.isInGroup}
      isAct={message.is_me_message}
      playgrounds={directory.playgrounds?.()}
      unfolded={store.unfolded}
    />
  );
}

/** Says that somebody changes the message at the moment. */
function changingBy(userId: number, message: Message, { store }: FeedScope) {
  const name = store.directory.person(userId)?.name ?? message.sender_full_name;
  return <p class="changing">{name} is changing this message</p>;
}

/** Returns the address of the picture that was clicked; null for other clicks. */
function pictureAt({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): string | null {
  if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return null;
  return target.closest(PICTURE)?.getAttribute('href') ?? null;
}

/** Links of videos lead to them. */
const PICTURE = '.message_inline_image:not(.message_inline_video, .youtube-video) > a';

/** Returns the person whose picture or mention was clicked; null for anything else. */
function personAt(target: EventTarget | null, senderId: number): number | null {
  if (!(target instanceof Element)) return null;
  if (target.closest('.gutter') !== null) return senderId;
  const id = Number(target.closest<HTMLElement>('.user-mention')?.dataset['userId']);
  return Number.isInteger(id) && id > 0 ? id : null;
}

/** Returns the group whose mention was clicked; null for anything else. */
function groupAt(target: EventTarget | null): number | null {
  if (!(target instanceof Element)) return null;
  const { userGroupId } = target.closest<HTMLElement>('.user-group-mention')?.dataset ?? {};
  return userGroupId === undefined ? null : Number(userGroupId);
}

function NewLine() {
  const scope = useFeed();
  return (
    <p class="new-line">
      <span>New</span>
      <button
        type="button"
        class="quiet"
        onClick={() => attempt(scope, scope.store.reading.markAll(scope.narrow))}
      >
        Mark all as read
      </button>
    </p>
  );
}

const MENTIONS = ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'];

/** Returns the sender of a message, as known now; else as the message says. */
export function senderOf(message: Message, { store }: Pick<FeedScope, 'store'>) {
  return (
    store.directory.person(message.sender_id) ?? {
      id: message.sender_id,
      name: message.sender_full_name,
      avatarUrl: message.avatar_url,
      isBot: false,
    }
  );
}

function timeOf(message: Message, scope: FeedScope) {
  const at = message.timestamp * 1_000;
  return (
    <a class="time" href={linkTo(message, scope)} title={wholeTime(at)}>
      <time dateTime={new Date(at).toISOString()}>{clock(at)}</time>
    </a>
  );
}

interface MarkProps {
  readonly word: string;
  /** The time of the change, in seconds; undefined if there was none. */
  readonly at: number | undefined;
  readonly message: Message;
}

/** Says that a message was changed, and shows its versions where they are kept. */
function Mark({ word, at, message }: MarkProps) {
  const { store } = useFeed();
  if (at === undefined) return null;
  const title = wholeTime(at * 1_000);
  if (store.directory.offers?.().versions !== true) return <span title={title}>{word}</span>;
  return (
    <button
      type="button"
      title={title}
      onClick={() => openPanel({ about: 'message', act: 'versions', message })}
    >
      {word}
    </button>
  );
}

function marksOf(message: Message) {
  const { last_edit_timestamp: edited, last_moved_timestamp: moved, flags } = message;
  if (edited === undefined && moved === undefined && !flags.includes('starred')) return null;
  return (
    <span class="marks">
      <Mark word="edited" at={edited} message={message} />
      <Mark word="moved" at={moved} message={message} />
      {flags.includes('starred') ? (
        <span class="starred">
          <Icon name="star" />
          <span class="unseen">starred</span>
        </span>
      ) : null}
    </span>
  );
}

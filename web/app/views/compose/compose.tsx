import { untracked } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menus/menu.tsx';
import type { MenuItem } from '../../parts/menus/menu-list.tsx';
import { useCommand } from '../../parts/use-command.ts';
import { sendLater } from '../../store/ahead/ahead.ts';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import { destinationKey, destinationOf } from '../../store/compose/destination.ts';
import type { FeedStore } from '../../store/feed/feed-store.ts';
import { openPanel } from '../../store/panels.ts';
import { keyOf, type Narrow, type Place, placeOf } from '../../store/route.ts';
import { Body } from '../feed/body.tsx';
import { Attachments } from './attachments.tsx';
import { DestinationBar } from './destination-bar.tsx';
import { TextField } from './text-field.tsx';
import { TypingLine } from './typing-line.tsx';
import { useDrop } from './use-drop.ts';
import '../../parts/style/beside-style.ts';

export interface ComposeProps {
  readonly store: ComposeStore;
  readonly feed: FeedStore;
  readonly narrow: Narrow;
  readonly say?: (text: string, isFault?: boolean) => void;
}

/** Names are sorted, and files go on, once the messages are shown. */
const PREPARE_MS = 1_000;

/** The field where one writes, at the end of the messages. */
export function Compose({ store, feed, narrow, say }: ComposeProps) {
  const key = keyOf(narrow);
  const place = placeOf(narrow);
  // It is open there before it is drawn, so that nothing is drawn for the place of before.
  useMemo(() => untracked(() => store.openAt(place)), [store, key]);
  useEffect(() => {
    const flush = () => store.drafts.flush();
    addEventListener('pagehide', flush);
    return () => removeEventListener('pagehide', flush);
  }, [store]);
  useEffect(() => {
    const timer = setTimeout(() => {
      store.completion.prepare();
      void store.restoreFiles();
    }, PREPARE_MS);
    return () => clearTimeout(timer);
  }, [store]);
  const trying = (act: () => void) => {
    try {
      act();
    } catch (error) {
      say?.(error instanceof Error ? error.message : String(error), true);
    }
  };
  useComposeKeys(store, feed, { place, trying });
  const send = () =>
    trying(() => {
      if (!store.canSend) return;
      const isHere =
        place !== null && destinationKey(store.to.value) === destinationKey(destinationOf(place));
      store.send();
      if (isHere) feed.toEnd.value += 1;
    });
  // The buttons are not drawn for another place.
  const attach = useCallback(
    (files: readonly File[]) => {
      void store.attach(files).then((leftOut) => {
        if (leftOut > 0) say?.(`${leftOut} files were left out: too many at once`, true);
      });
    },
    [store, say],
  );
  const isDropping = useDrop(attach);
  const preview = store.preview.value;
  return (
    <section class="compose" aria-label="Write a message">
      <TypingLine store={store} place={place} />
      <form
        class={isDropping ? 'compose-box dropping' : 'compose-box'}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <DestinationBar store={store} place={place} />
        {preview === null ? (
          <TextField
            store={store}
            nearby={() => writersIn(feed)}
            onSend={send}
            onFiles={attach}
            onEditLast={() => editLast(feed)}
          />
        ) : (
          <div class="compose-preview">
            <Body html={preview} ownId={store.directory.ownId} />
          </div>
        )}
        <Attachments store={store} />
        <Bar store={store} onFiles={attach} say={say} />
      </form>
    </section>
  );
}

interface BarProps {
  readonly store: ComposeStore;
  readonly onFiles: (files: readonly File[]) => void;
  readonly say: ComposeProps['say'];
}

function Bar({ store, onFiles, say }: BarProps) {
  const input = useRef<HTMLInputElement>(null);
  const isPreview = store.preview.value !== null;
  const isEmpty = store.text.value.trim() === '';
  const isEnter = store.directory.setting('enter_sends') === true;
  return (
    <div class="compose-bar">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class="icon"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      >
        <Icon name="file" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={isPreview}
        disabled={isEmpty && !isPreview}
        onClick={() => {
          store
            .togglePreview()
            .catch((error: unknown) =>
              say?.(error instanceof Error ? error.message : String(error), true),
            );
        }}
      >
        {isPreview ? 'Write' : 'Preview'}
      </button>
      <span class="hint">{isEnter ? 'Enter' : 'Ctrl Enter'} sends</span>
      <button
        type="button"
        class="icon"
        aria-label="Put in an emoji"
        title="Put in an emoji"
        onClick={() =>
          openPanel({
            about: 'emoji',
            take: (name) => {
              store.insert(`:${name}: `);
              store.focus();
            },
          })
        }
      >
        <Icon name="smile" />
      </button>
      <Menu
        label="More to put in"
        items={[
          ...(['poll', 'todo'] as const).map(
            (act): MenuItem => ({
              label: act === 'poll' ? 'New poll' : 'New to-do list',
              icon: act === 'poll' ? 'poll' : 'check',
              onSelect: () => openPanel({ about: 'writing', act }),
            }),
          ),
          {
            label: 'Snippets',
            icon: 'quote',
            onSelect: () => openPanel({ about: 'writing', act: 'snippets' }),
          },
        ]}
      >
        <Icon name="plus" />
      </Menu>
      <button
        type="button"
        class="icon"
        aria-label="Post later"
        title="Post later"
        disabled={!store.canSend}
        onClick={() =>
          openPanel({
            about: 'when',
            title: 'Send later',
            take: async (atMs) => {
              await store.handOn((message) => sendLater(message, atMs));
              say?.('It is sent then. Until then it stands with your drafts.');
            },
          })
        }
      >
        <Icon name="clock" />
      </button>
      <button type="submit" class="first send" disabled={!store.canSend} aria-label="Send">
        <Icon name="send" />
      </button>
    </div>
  );
}

/** As many messages as one remembers. */
const REMEMBERED = 60;

/** Returns the people who wrote the last messages of the view. */
const writersIn = (feed: FeedStore): ReadonlySet<number> =>
  new Set(feed.current.value?.messages.value.slice(-REMEMBERED).map(({ sender_id: id }) => id));

/** Opens the last message of one's own that is loaded, to change it. */
function editLast(feed: FeedStore): boolean {
  const own = feed.current.value?.messages.value.findLast(
    ({ sender_id }) => sender_id === feed.directory.ownId,
  );
  if (own === undefined) return false;
  feed.selectedId.value = own.id;
  feed.acts.beginEdit(own.id).catch(() => undefined);
  return true;
}

interface ComposeKeys {
  readonly place: Place | null;
  /** Does something, and tells if it is refused. */
  readonly trying: (act: () => void) => void;
}

function useComposeKeys(store: ComposeStore, feed: FeedStore, { place, trying }: ComposeKeys) {
  useCommand('compose', () => {
    if (place !== null) store.openAt(place);
    store.focus();
  });
  useCommand('compose-dm', () => store.write({ type: 'direct', userIds: [] }));
  useCommand('reply', () => {
    const message = feed.selected.value;
    if (message === null) store.focus();
    else trying(() => store.reply(message));
  });
  useCommand('edit-last', () => void editLast(feed));
}

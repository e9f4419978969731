import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Choices, choiceId, steppedTo } from '../../parts/choices.tsx';
import {
  type Asked,
  askedAt,
  type Choice,
  replaced,
  textOf,
} from '../../store/compose/completion.ts';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import { isWhole } from '../../store/compose/destination.ts';
import { allEmoji } from '../../store/feed/emoji.ts';
import { fetchJson } from '../feed/fetch-json.ts';
import { ChoiceLine, choiceKey } from './choice-line.tsx';
import { destinationName } from './destination-name.ts';

export interface TextFieldProps {
  readonly store: ComposeStore;
  /** Returns the people who wrote here lately: they are meant more often. */
  readonly nearby: () => ReadonlySet<number>;
  readonly onSend: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  /** Opens one's last message; returns false if there is none. */
  readonly onEditLast: () => boolean;
}

/** The text, with names completed as they are typed. */
export function TextField({ store, nearby, onSend, onFiles, onEditLast }: TextFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const offer = useOffer(store, nearby);
  useFocus(store, field.current);
  const { choices, at } = offer;

  const take = (choice: Choice) => {
    const area = field.current;
    if (area === null || offer.asked === null) return;
    const by = textOf(choice, offer.asked.isSilent);
    const edited = replaced(area.value, { from: offer.asked.from, to: area.selectionStart, by });
    store.setText(edited.text);
    store.cursor.value = edited.cursor;
    offer.close();
    area.focus();
  };
  return (
    <div class="compose-field">
      {choices.length > 0 ? (
        <Choices id={id} label="Names" items={choices} keyOf={choiceKey} at={at} onTake={take}>
          {(choice) => <ChoiceLine choice={choice} />}
        </Choices>
      ) : null}
      <textarea
        ref={field}
        class="growing"
        rows={1}
        aria-label="Message"
        // A field of several lines may not be called a combobox; it has all else of one.
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-controls={choices.length > 0 ? id : undefined}
        aria-activedescendant={choices.length > 0 ? choiceId(id, at) : undefined}
        placeholder={`Message ${destinationName(store.to.value, store.directory)}`}
        value={store.text.value}
        onInput={({ currentTarget }) => {
          store.setText(currentTarget.value);
          offer.look(currentTarget);
        }}
        onClick={({ currentTarget }) => offer.look(currentTarget)}
        onBlur={({ currentTarget }) => {
          store.caret = currentTarget.selectionEnd;
          offer.close();
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          const isDone =
            choices.length > 0
              ? chosen(event, { offer, take })
              : pressed(event, { store, onSend, onEditLast });
          if (!isDone) return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          onFiles(files);
        }}
      />
    </div>
  );
}

/** The choices for the word before the cursor. */
function useOffer(store: ComposeStore, nearby: TextFieldProps['nearby']) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [at, setAt] = useState(0);
  const show = (next: Asked | null) => {
    setAsked(next);
    setAt(0);
    if (next === null) {
      setChoices([]);
      return;
    }
    const near = nearby();
    const isChannel = store.to.value.type === 'channel';
    setChoices(store.completion.find(next, { isNear: (id) => near.has(id), isChannel }));
  };
  return {
    asked,
    choices,
    at,
    step: setAt,
    close: () => show(null),
    look(area: HTMLTextAreaElement) {
      const { value, selectionStart, selectionEnd } = area;
      const next = selectionStart === selectionEnd ? askedAt(value, selectionStart) : null;
      show(next);
      if (next?.kind !== 'emoji' || store.completion.hasEmoji) return;
      // The list of emoji is fetched with the first colon.
      void allEmoji(fetchJson).then(
        (all) => {
          if (!store.completion.hasEmoji) store.completion.setEmoji(all);
          if (area.value === value && area.selectionStart === selectionStart) show(next);
        },
        () => undefined,
      );
    },
  };
}

interface Choosing {
  readonly offer: ReturnType<typeof useOffer>;
  readonly take: (choice: Choice) => void;
}

/** Does what a key says while choices are shown. */
function chosen(event: KeyboardEvent, { offer, take }: Choosing): boolean {
  const { choices, at } = offer;
  const next = steppedTo(event.key, at, choices.length);
  if (next !== null) {
    offer.step(next);
    return true;
  }
  const choice = choices[at];
  if ((event.key === 'Enter' && !event.ctrlKey) || event.key === 'Tab') {
    if (choice !== undefined) take(choice);
    return true;
  }
  if (event.key !== 'Escape') return false;
  offer.close();
  return true;
}

type Pressing = Pick<TextFieldProps, 'store' | 'onSend' | 'onEditLast'>;

function pressed(event: KeyboardEvent, { store, onSend, onEditLast }: Pressing): boolean {
  const isEmpty = store.text.value === '';
  if (event.key === 'Enter') {
    const isControl = event.ctrlKey || event.metaKey;
    const sendsAlone = store.directory.setting('enter_sends') === true;
    if (event.shiftKey || (sendsAlone ? false : !isControl)) return false;
    onSend();
    return true;
  }
  if (isEmpty && (event.key === 'ArrowUp' || event.key === 'ArrowLeft')) return onEditLast();
  if (event.key !== 'Escape') return false;
  (event.currentTarget as HTMLElement).blur();
  return true;
}

/** Returns the field that says where the message goes, if that is not said yet. */
function undecided({ to: { value } }: ComposeStore, area: HTMLTextAreaElement) {
  if (isWhole(value)) return null;
  const field = value.type === 'direct' ? '.people-field input' : '.destination select';
  return area.form?.querySelector<HTMLElement>(field) ?? null;
}

/** Gives the field the focus, and the cursor its place, when the store says so. */
function useFocus(store: ComposeStore, area: HTMLTextAreaElement | null) {
  const wish = store.focusing.value;
  const cursor = store.cursor.value;
  useLayoutEffect(() => {
    if (wish > 0 && area !== null) (undecided(store, area) ?? area).focus();
  }, [wish]);
  useLayoutEffect(() => {
    if (cursor === null) return;
    area?.setSelectionRange(cursor, cursor);
    store.cursor.value = null;
  }, [cursor]);
}

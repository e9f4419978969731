import { useComputed, useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Choices, choiceId, steppedTo } from '../parts/choices.tsx';
import { Icon } from '../parts/icon.tsx';
import { useCommand } from '../parts/use-command.ts';
import { directory } from '../store/model.ts';
import { navigate, route } from '../store/navigation.ts';
import { say } from '../store/notices.ts';
import { narrowRoute, placeOf } from '../store/route.ts';
import {
  parseSearch,
  printSearch,
  SEARCH_LENGTH_MAX,
  type Suggestion,
  suggestionsFor,
} from '../store/search.ts';

/** The field for a search, which completes operators and names. */
export function SearchBox() {
  const id = useId();
  const { field, draft, at, items, take, end, press } = useSearch();
  const isOpen = items.value.length > 0;
  return (
    <search class={draft.value === null ? 'search idle' : 'search'}>
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        role="combobox"
        inputMode="search"
        enterkeyhint="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={at.value < 0 ? undefined : choiceId(id, at.value)}
        placeholder="Search"
        maxLength={SEARCH_LENGTH_MAX}
        autocomplete="off"
        spellcheck={false}
        value={draft.value ?? shownSearch()}
        onFocus={() => {
          draft.value = shownSearch();
          field.current?.select();
        }}
        onBlur={end}
        onInput={({ currentTarget }) => {
          draft.value = currentTarget.value;
          at.value = -1;
        }}
        onKeyDown={(event) => {
          if (press(event.key)) event.preventDefault();
        }}
      />
      {isOpen ? (
        <Choices
          id={id}
          label="Suggestions"
          items={items.value}
          keyOf={({ label }) => label}
          at={at.value}
          onTake={take}
        >
          {({ label, hint }) => (
            <>
              <span class="cut">{label}</span>
              <small class="cut">{hint}</small>
            </>
          )}
        </Choices>
      ) : null}
    </search>
  );
}

/** Keeps the text that is written, completes it, and knows what keys do. */
function useSearch() {
  const field = useRef<HTMLInputElement>(null);
  /** The text that is being written; null shows the search that is open. */
  const draft = useSignal<string | null>(null);
  const at = useSignal(-1);
  const items = useComputed(() =>
    draft.value === null ? [] : suggestionsFor(draft.value, directory.value),
  );
  useCommand('search', () => field.current?.focus());

  const end = () => {
    draft.value = null;
    at.value = -1;
  };
  const take = ({ text }: Suggestion) => {
    draft.value = text;
    at.value = -1;
    field.current?.focus();
  };
  const search = (text: string) => {
    const { narrow, near, problems } = parseSearch(text, directory.value);
    if (problems.length > 0) return say(problems.join(' '), { isFault: true });
    if (narrow.length === 0) return;
    field.current?.blur();
    navigate(narrowRoute(narrow, near));
  };
  /** Returns whether the key did something. */
  const press = (key: string): boolean => {
    const next = steppedTo(key, at.value, items.value.length);
    const item = items.value[at.value];
    if (next !== null) at.value = next;
    else if (key === 'Escape') field.current?.blur();
    else if ((key === 'Tab' || key === 'Enter') && item !== undefined) take(item);
    else if (key === 'Enter') search(draft.value ?? '');
    else return false;
    return true;
  };
  return { field, draft, at, items, take, end, press };
}

/** Returns the text of the search that is open; a conversation is none. */
function shownSearch(): string {
  const { value } = route;
  if (value.view !== 'narrow' || value.narrow.length === 0) return '';
  if (placeOf(value.narrow) !== null) return '';
  return printSearch(value.narrow, value.near, directory.value);
}

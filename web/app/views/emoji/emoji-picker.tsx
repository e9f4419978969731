import { useEffect, useRef, useState } from 'preact/hooks';
import { keptText } from '../../net/kept-text.ts';
import { adopt } from '../../parts/adopt.ts';
import { Dialog } from '../../parts/dialog.tsx';
import {
  foundSections,
  rowsOf,
  type Section,
  steppedInGrid,
  type Tab,
  tabsOf,
} from '../../store/emoji/picker.ts';
import { noteChosen, openRecent, recent } from '../../store/emoji/recent.ts';
import type { OwnEmoji } from '../../store/feed/directory.ts';
import { allEmoji, type NamedEmoji } from '../../store/feed/emoji.ts';
import type { Emoji } from '../../store/feed/message.ts';
import { style } from '../../style/later/emoji.css';
import { charactersOf } from '../feed/body.tsx';
import { fetchJson } from '../feed/fetch-json.ts';

adopt(style);
openRecent(keptText('confab.emoji'));

export interface EmojiPickerProps {
  readonly title: string;
  readonly ownEmoji: readonly OwnEmoji[];
  readonly onTake: (emoji: Emoji) => void;
  readonly onClose: () => void;
}

/** All emoji by group, and a field that finds them by name. */
export function EmojiPicker({ title, ownEmoji, onTake, onClose }: EmojiPickerProps) {
  const [text, setText] = useState('');
  const [all, setAll] = useState<readonly NamedEmoji[]>([]);
  const [tabName, setTabName] = useState<string | null>(null);
  // The emoji that were used last stay where they are while one chooses.
  const [before] = useState(() => recent.peek());
  const field = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  useEffect(() => {
    field.current?.focus();
    allEmoji(fetchJson).then(setAll, () => undefined);
  }, []);
  const known = { all, own: ownEmoji, recent: before };
  const tabs = tabsOf(known);
  const tab = tabs.find(({ name }) => name === tabName) ?? tabs[0];
  const isSearch = text.trim() !== '';
  const sections = isSearch ? foundSections(known, text) : (tab?.sections ?? []);
  const take = (emoji: Emoji) => {
    noteChosen(emoji);
    onTake(emoji);
  };
  return (
    <Dialog title={title} class="emoji-picker" onClose={onClose}>
      <input
        ref={field}
        type="search"
        aria-label="Name of an emoji"
        placeholder="Name of an emoji"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          const first = sections[0]?.emoji[0];
          if (event.key === 'Enter' && first !== undefined && isSearch) take(first);
          else if (event.key !== 'ArrowDown') return;
          else grid.current?.querySelector('button')?.focus();
          event.preventDefault();
        }}
      />
      {isSearch ? null : <Tabs tabs={tabs} shown={tab?.name ?? ''} onShow={setTabName} />}
      <Grid
        own={grid}
        sections={sections}
        ownEmoji={ownEmoji}
        onTake={take}
        onLeave={() => field.current?.focus()}
      />
      {isSearch && sections.length === 0 ? (
        <p class="muted" role="status">
          No emoji has that name.
        </p>
      ) : null}
    </Dialog>
  );
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly shown: string;
  readonly onShow: (name: string) => void;
}

function Tabs({ tabs, shown, onShow }: TabsProps) {
  const own = useRef<HTMLDivElement>(null);
  const step = (by: number) => {
    const at = tabs.findIndex(({ name }) => name === shown);
    const next = (at + by + tabs.length) % tabs.length;
    onShow(tabs[next]?.name ?? shown);
    own.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div
      ref={own}
      class="emoji-tabs"
      role="tablist"
      aria-label="Groups of emoji"
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        step(by);
      }}
    >
      {tabs.map(({ name, sign }) => (
        <button
          key={name}
          type="button"
          class="icon"
          role="tab"
          aria-selected={name === shown}
          aria-label={name}
          title={name}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => onShow(name)}
        >
          <span class="emoji">{sign}</span>
        </button>
      ))}
    </div>
  );
}

interface GridProps {
  readonly own: { current: HTMLDivElement | null };
  readonly sections: readonly Section[];
  readonly ownEmoji: readonly OwnEmoji[];
  readonly onTake: (emoji: Emoji) => void;
  /** The key went above the first row. */
  readonly onLeave: () => void;
}

function Grid({ own, sections, ownEmoji, onTake, onLeave }: GridProps) {
  const [pointed, setPointed] = useState<Emoji | null>(null);
  const pressed = (event: KeyboardEvent) => {
    const cells = [...(own.current?.querySelectorAll('button') ?? [])];
    const at = cells.indexOf(document.activeElement as HTMLButtonElement);
    const next =
      at < 0 ? null : steppedInGrid(sections, at, { key: event.key, ctrl: event.ctrlKey });
    if (next === null) return;
    event.preventDefault();
    if (next < 0) onLeave();
    else cells[next]?.focus();
  };
  return (
    <>
      <div ref={own} class="emoji-grids" role="toolbar" aria-label="Emoji" onKeyDown={pressed}>
        {sections.map(({ name, emoji }, section) => (
          <div key={name}>
            <p class="emoji-group">{name}</p>
            {rowsOf(emoji).map((row, index) => (
              <div key={row[0]?.emoji_code} class="emoji-row">
                {row.map((one, column) => (
                  <Cell
                    key={`${one.reaction_type} ${one.emoji_code}`}
                    emoji={one}
                    ownEmoji={ownEmoji}
                    isFirst={section === 0 && index === 0 && column === 0}
                    onTake={onTake}
                    onPoint={setPointed}
                  />
                ))}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p class="emoji-name muted" aria-hidden="true">
        {pointed === null ? '' : `:${pointed.emoji_name}:`}
      </p>
    </>
  );
}

interface CellProps {
  readonly emoji: Emoji;
  readonly ownEmoji: readonly OwnEmoji[];
  /** True for the cell that Tab leads to. */
  readonly isFirst: boolean;
  readonly onTake: (emoji: Emoji) => void;
  readonly onPoint: (emoji: Emoji) => void;
}

const Cell = ({ emoji, ownEmoji, isFirst, onTake, onPoint }: CellProps) => (
  <button
    type="button"
    class="icon"
    tabIndex={isFirst ? 0 : -1}
    aria-label={emoji.emoji_name.replaceAll('_', ' ')}
    onClick={() => onTake(emoji)}
    onFocus={() => onPoint(emoji)}
    onPointerEnter={() => onPoint(emoji)}
  >
    <Sign emoji={emoji} ownEmoji={ownEmoji} />
  </button>
);

function Sign({ emoji, ownEmoji }: Pick<CellProps, 'emoji' | 'ownEmoji'>) {
  if (emoji.reaction_type === 'unicode_emoji') {
    return <span class="emoji">{charactersOf(emoji.emoji_code)}</span>;
  }
  const own = ownEmoji.find(({ id }) => id === emoji.emoji_code);
  return <img class="emoji" src={own?.url} alt="" width="24" height="24" loading="lazy" />;
}

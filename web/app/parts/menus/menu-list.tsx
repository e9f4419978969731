import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../icon.tsx';
import '../style/beside-style.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isChecked?: boolean;
  readonly isGrave?: boolean;
  readonly onSelect: () => void;
}

const GAP = 4;
const MARGIN = 8;

interface MenuListProps {
  readonly id?: string;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The menu opens beside this, and gives the focus back to it. */
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}

/** An open menu, above everything else. */
export function MenuList({ id, label, items, anchor, onClose }: MenuListProps) {
  const own = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = own.current;
    if (menu === null) return;
    menu.showPopover();
    if (anchor !== null) place(menu, anchor);
    menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  }, [anchor]);
  const end = () => {
    anchor?.focus();
    onClose();
  };
  return (
    <div
      ref={own}
      id={id}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      popover="auto"
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Tab' || event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          end();
        } else if (own.current !== null && stepped(own.current, event.key)) event.preventDefault();
      }}
    >
      {items.map(({ label: text, icon, isChecked, isGrave, onSelect }) => (
        <button
          key={text}
          type="button"
          class={isGrave ? 'quiet grave' : 'quiet'}
          {...(isChecked === undefined
            ? { role: 'menuitem' as const }
            : { role: 'menuitemradio' as const, 'aria-checked': isChecked })}
          tabIndex={-1}
          onClick={() => {
            end();
            onSelect();
          }}
        >
          {icon === undefined ? null : <Icon name={icon} />}
          <span>{text}</span>
          {isChecked ? <Icon name="check" /> : null}
        </button>
      ))}
    </div>
  );
}

/** Puts a menu below its button, or above it where there is more room, and within the window. */
function place(menu: HTMLElement, anchor: HTMLElement): void {
  const from = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const hasRoomBelow = from.bottom + GAP + height + MARGIN <= innerHeight;
  const top = hasRoomBelow ? from.bottom + GAP : Math.max(MARGIN, from.top - GAP - height);
  const left = Math.min(Math.max(MARGIN, from.left), innerWidth - width - MARGIN);
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
}

/** Moves the focus as a key says; returns whether the key says anything. */
function stepped(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
  if (next === undefined) return false;
  items.at(next % items.length)?.focus();
  return true;
}

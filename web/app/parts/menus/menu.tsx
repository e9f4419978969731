import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { lazy } from '../lazy.tsx';
import type { MenuItem } from './menu-list.tsx';

const MenuList = lazy(async () => (await import('./menu-list.tsx')).MenuList);

export interface MenuProps {
  /** The name of the button. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a menu, which is gone through by arrows and closed by Escape. */
export function Menu({ label, items, class: kind = 'icon', children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        class={kind}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <MenuList
          id={id}
          label={label}
          items={items}
          anchor={button.current}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

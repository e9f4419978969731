import type { ComponentChildren } from 'preact';
import { Icon } from '../../parts/icon.tsx';
import { isClosed, toggle } from '../../store/settings.ts';

export interface LeftSectionProps {
  /** By this it is remembered whether it is closed. */
  readonly name: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of the left column that can be closed. */
export function LeftSection({ name, title, children }: LeftSectionProps) {
  const isOpen = !isClosed(name);
  return (
    <section class="left-section">
      <h2>
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => toggle(name)}>
          <Icon name="chevron" />
          <span class="cut">{title}</span>
        </button>
      </h2>
      {isOpen ? children : null}
    </section>
  );
}

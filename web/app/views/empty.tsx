import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../parts/icon.tsx';

export interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Sentences and buttons that say what can be done instead. */
  readonly children: ComponentChildren;
}

/** Says why there is nothing, and what to do. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    <div>{children}</div>
  </div>
);

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../parts/icon.tsx';

export interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What can be done instead. */
  readonly children: ComponentChildren;
}

/** What is shown where there is nothing: why, and what to do. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    <div>{children}</div>
  </div>
);

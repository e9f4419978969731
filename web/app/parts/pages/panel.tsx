import type { ComponentChildren } from 'preact';
import './kept-style.ts';

export interface PanelProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

/** A part of a page, with its name above it. */
export const Panel = ({ title, hint, children }: PanelProps) => (
  <section class="panel" aria-label={title}>
    <h2>{title}</h2>
    {hint === undefined ? null : <p class="panel-hint muted">{hint}</p>}
    {children}
  </section>
);

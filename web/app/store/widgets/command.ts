/** The messages that begin a poll or a list of tasks (`/poll`, `/todo`). */
import type { WidgetKind } from './widget.ts';

/** Returns the message that begins a widget, with a line for each option or task. */
export const commandOf = (
  kind: WidgetKind,
  { title, lines }: { readonly title: string; readonly lines: readonly string[] },
): string =>
  [`/${kind} ${oneLine(title)}`, ...lines.map(oneLine).filter(Boolean).map(asLine)].join('\n');

/** A line break would begin another option. */
const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

/** A dash at the beginning would be taken for the sign of a list. */
const asLine = (text: string) => (/^[-*]/.test(text) ? `- ${text}` : text);

export interface CountProps {
  readonly count: number;
  /** The word for the things that are counted, for those who do not see where it stands. */
  readonly of?: string;
  /** True for a mention or a direct message, which asks for somebody. */
  readonly isUrgent?: boolean;
}

const SHOWN_MAX = 999;

/** How many messages are unread; nothing where none is. */
export function Count({ count, of = 'unread', isUrgent = false }: CountProps) {
  if (count === 0) return null;
  return (
    <span class={isUrgent ? 'count urgent' : 'count'}>
      {count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}
      <span class="unseen"> {of}</span>
    </span>
  );
}

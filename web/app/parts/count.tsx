export interface CountProps {
  readonly count: number;
  /** What is counted, for those who do not see where it stands. */
  readonly of?: string;
  /** Whether somebody is asked: a mention or a direct message. */
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

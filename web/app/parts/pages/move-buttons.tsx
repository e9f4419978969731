import { attempt } from '../form.tsx';
import { Icon } from '../icon.tsx';

export interface MoveButtonsProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Rejects with the refusal. */
  readonly onMove: (by: -1 | 1) => Promise<unknown>;
}

/** Buttons that change where something stands in its list. */
export const MoveButtons = ({ name, isFirst, isLast, onMove }: MoveButtonsProps) => (
  <span class="move-buttons">
    <button
      type="button"
      class="icon up"
      aria-label={`Move ${name} up`}
      disabled={isFirst}
      onClick={() => attempt(onMove(-1))}
    >
      <Icon name="chevron" />
    </button>
    <button
      type="button"
      class="icon down"
      aria-label={`Move ${name} down`}
      disabled={isLast}
      onClick={() => attempt(onMove(1))}
    >
      <Icon name="chevron" />
    </button>
  </span>
);

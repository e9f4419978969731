import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import type { Message } from '../../store/feed/message.ts';
import { readersOf } from '../../store/messages/readers.ts';
import { openPanel } from '../../store/panels.ts';
import './style.ts';

export interface AboutMessage {
  readonly message: Message;
  readonly onClose: () => void;
}

/** So many names are shown; the rest is a number. */
const SHOWN_MAX = 200;

/** The people who have read a message. */
export function ReadersDialog({ message, onClose }: AboutMessage) {
  const { value } = useLoaded(() => readersOf(message.id));
  return (
    <Dialog title="Who has read it" onClose={onClose}>
      {value === null ? null : value.length === 0 ? (
        <p class="muted">Nobody else has read it yet, as far as people let that be known.</p>
      ) : (
        <ul class="readers">
          {value.slice(0, SHOWN_MAX).map((person) => (
            <li key={person.id}>
              <button
                type="button"
                class="quiet"
                onClick={() => openPanel({ about: 'person', userId: person.id })}
              >
                <Avatar person={person} size="s" />
                <span class="cut">{person.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {value !== null && value.length > SHOWN_MAX ? (
        <p class="muted">and {value.length - SHOWN_MAX} more</p>
      ) : null}
    </Dialog>
  );
}

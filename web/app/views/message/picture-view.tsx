import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { conversations } from '../../store/conversations.ts';
import { type Picture, picturesIn } from '../../store/messages/pictures.ts';
import { wholeTime } from '../../store/times.ts';
import './style.ts';

export interface PictureViewProps {
  readonly first: Pick<Picture, 'messageId' | 'href'>;
  readonly onClose: () => void;
}

/** A picture as large as the window, and the ones before and after it by the arrow keys. */
export function PictureView({ first, onClose }: PictureViewProps) {
  const feed = conversations.value?.feed.current.value;
  const messages = feed?.messages.value ?? [];
  // They stay as they are while one looks: more messages may come in meanwhile.
  const [pictures] = useState(() => picturesIn(messages, location.origin));
  const [at, setAt] = useState(() => Math.max(0, indexOf(pictures, first)));
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => own.current?.focus(), []);
  const shown = pictures[at];
  if (shown === undefined) return null;
  const go = (to: number) => setAt(Math.min(pictures.length - 1, Math.max(0, to)));
  const message = messages.find(({ id }) => id === shown.messageId);
  return (
    <Dialog title={shown.name || 'Picture'} isBare class="picture-view" onClose={onClose}>
      <div
        ref={own}
        class="picture-frame"
        role="toolbar"
        aria-label="Pictures"
        tabIndex={-1}
        onKeyDown={({ key }) => {
          const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: pictures.length }[key];
          if (to !== undefined) go(to);
        }}
      >
        <div class="picture-head">
          <p class="cut">
            <strong>{shown.name}</strong>
            {message === undefined ? null : (
              <span class="muted">
                {' '}
                {message.sender_full_name}, {wholeTime(message.timestamp * 1_000)}
              </span>
            )}
          </p>
          <span class="muted" aria-live="polite">
            {at + 1} of {pictures.length}
          </span>
          <a href={shown.href} target="_blank" rel="noopener noreferrer">
            Open
          </a>
          <button type="button" class="icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <div class="picture-room">
          <button
            type="button"
            class="icon before"
            aria-label="The picture before"
            disabled={at === 0}
            onClick={() => go(at - 1)}
          >
            <Icon name="chevron" />
          </button>
          <img key={shown.source} src={shown.source} alt={shown.name || 'Picture'} />
          <button
            type="button"
            class="icon"
            aria-label="The picture after"
            disabled={at === pictures.length - 1}
            onClick={() => go(at + 1)}
          >
            <Icon name="chevron" />
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const indexOf = (pictures: readonly Picture[], { messageId, href }: PictureViewProps['first']) =>
  pictures.findIndex((one) => one.messageId === messageId && one.href === href);

import { Icon } from '../parts/icon.tsx';
import { close, notices } from '../store/notices.ts';

/** Says in a corner what became of things. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, isFault }) => (
        <p key={id} class={isFault ? 'notice bad' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="icon" aria-label="Close" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}

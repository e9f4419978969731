import { useEffect } from 'preact/hooks';
import { noteShown } from '../../parts/loading/first-shown.ts';
import { hrefOf } from '../../store/navigation.ts';
import { Empty } from '../empty.tsx';

/** A link may lead to a channel that is not for this account, or that is no more. */
export function UnknownChannel() {
  useEffect(noteShown, []);
  return (
    <div class="scroll">
      <Empty icon="lock" title="You cannot see this channel">
        <p>It may be gone, or private. Somebody who is in it can add you.</p>
        <p>
          <a href={hrefOf({ view: 'channels' })}>All channels</a>
        </p>
      </Empty>
    </div>
  );
}

import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useCommand } from '../../parts/use-command.ts';
import { mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { bringBack } from '../../store/channels/browse.ts';
import { bringersBack } from '../../store/channels/permissions.ts';
import { personOf } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import '../../parts/style/beside-style.ts';

const WORDS = 'This channel is archived: its messages stay, and nobody writes to it.';

/** Stands where one would write to a channel, if the channel is in the archive. */
export function ArchiveNotice({ channelId }: { readonly channelId: number }) {
  const state = app.read('channels', 'groups', 'users', 'own');
  const name = state.channels.get(channelId)?.name ?? '';
  useCommand('compose', () => say(WORDS));
  useCommand('reply', () => say(WORDS));
  return (
    <section class="compose" aria-label="The channel is archived">
      <div class="archived-box">
        <Icon name="archive" />
        {mayAdministerChannel(state, channelId) ? (
          <>
            <p>{WORDS}</p>
            <button
              type="button"
              onClick={() => attempt(bringBack(channelId), `#${name} is back.`)}
            >
              Bring it back
            </button>
          </>
        ) : (
          <p>
            {WORDS} {bringersBack(state, channelId, (id) => personOf(id).name)} can bring it back.
          </p>
        )}
      </div>
    </section>
  );
}

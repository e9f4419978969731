import { useLive } from '../../parts/use-loaded.ts';
import { openPanel } from '../../store/panels.ts';
import { invitations } from '../../store/people/invitations.ts';
import { Empty } from '../empty.tsx';
import { InvitationList } from '../persons/invitation-list.tsx';

/** The invitations that can still be accepted. */
export function Invitations() {
  const { value, reload } = useLive(invitations, 'invites_changed');
  const invite = (
    <button type="button" class="first" onClick={() => openPanel({ about: 'invite' })}>
      Invite people
    </button>
  );
  if (value?.length === 0) {
    return (
      <Empty icon="at" title="No invitation is open">
        <p>Invitations stand here until they are accepted.</p>
        {invite}
      </Empty>
    );
  }
  return (
    <>
      <div class="later-bar">{invite}</div>
      <InvitationList list={value} onChange={reload} />
    </>
  );
}

import { copy } from '../../net/clipboard.ts';
import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { roleName } from '../../store/account/rights.ts';
import { nowMs, personOf } from '../../store/model.ts';
import { type Invitation, resend, revoke } from '../../store/people/invitations.ts';
import { shortTime } from '../../store/times.ts';

export interface InvitationListProps {
  /** Null until it is known. */
  readonly list: readonly Invitation[] | null;
  readonly onChange: () => Promise<void>;
}

/** Invitations that can still be accepted, to send once more or to take back. */
export function InvitationList({ list, onChange }: InvitationListProps) {
  if (list === null) return null;
  if (list.length === 0) {
    return (
      <p class="muted">There is none. Those that are sent stand here until they are accepted.</p>
    );
  }
  return (
    <ul class="card-list">
      {list.map((invitation) => (
        <Row
          key={`${invitation.is_multiuse} ${invitation.id}`}
          invitation={invitation}
          onChange={onChange}
        />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly invitation: Invitation;
  readonly onChange: () => Promise<void>;
}

function Row({ invitation, onChange }: RowProps) {
  const {
    email,
    link_url: link,
    is_multiuse: isLink,
    invited_as: role,
    expiry_date: expiry,
  } = invitation;
  const name = email ?? 'A link';
  const until =
    expiry === null ? 'never expires' : `until ${shortTime(expiry * 1_000, nowMs.value)}`;
  return (
    <li class="card-row">
      <Icon name={isLink ? 'link' : 'at'} />
      <div class="card-text">
        <span class="card-name cut">{name}</span>
        <p class="card-about">
          {roleName(role)} · by {personOf(invitation.invited_by_user_id).name} · {until}
        </p>
      </div>
      {isLink ? (
        link === undefined ? null : (
          <button type="button" onClick={() => attempt(copy(link), 'The link is copied.')}>
            Copy link
          </button>
        )
      ) : (
        <button
          type="button"
          aria-label={`Send again: ${name}`}
          onClick={() => attempt(resend(invitation), 'It is sent again.')}
        >
          Send again
        </button>
      )}
      <button
        type="button"
        class="grave"
        aria-label={`Revoke: ${name}`}
        onClick={() => attempt(revoke(invitation).then(onChange))}
      >
        Revoke
      </button>
    </li>
  );
}

import { useState } from 'preact/hooks';
import { sendsMail } from '../../net/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useLive, useLoaded } from '../../parts/use-loaded.ts';
import { givenRoles } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { channels } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import {
  addressesIn,
  EXPIRIES,
  invitations,
  inviteByLink,
  inviteByMail,
} from '../../store/people/invitations.ts';
import { InvitationList } from './invitation-list.tsx';

type Way = 'mail' | 'link';

const WAYS: readonly (readonly [Way, string])[] = [
  ['mail', 'By mail'],
  ['link', 'By a link'],
];

/** Invites people by mail or by a link, and shows what was sent before. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const list = useLive(invitations, 'invites_changed');
  const mail = useLoaded(sendsMail);
  const [way, setWay] = useState<Way | null>(null);
  const [addresses, setAddresses] = useState('');
  const [role, setRole] = useState('400');
  const [expiry, setExpiry] = useState('14400');
  const [channelIds, setChannelIds] = useState<readonly number[]>([]);
  const [link, setLink] = useState<string | null>(null);
  const shownWay = way ?? (mail.value === false ? 'link' : 'mail');
  const roles = givenRoles(app.read('own', 'users'));
  const send = async () => {
    const offer = { role: Number(role), expiry, channelIds };
    if (shownWay === 'link') setLink(await inviteByLink(offer));
    else {
      await inviteByMail(addresses, offer);
      const { length } = addressesIn(addresses);
      setAddresses('');
      say(length === 1 ? 'The invitation is sent.' : `${length} invitations are sent.`);
    }
    await list.reload();
  };
  return (
    <Dialog title="Invite people" class="wide" onClose={onClose}>
      <Form
        submit={shownWay === 'link' ? 'Make a link' : 'Send invitations'}
        isDisabled={shownWay === 'mail' && addresses.trim() === ''}
        onSubmit={send}
      >
        <Filters legend="How to invite" options={WAYS} value={shownWay} onChange={setWay} />
        {shownWay === 'mail' ? (
          <>
            {mail.value === false ? (
              <p class="form-fault">
                This server sends no mail yet, so that nobody would get these. Make a link, and hand
                it over yourself.
              </p>
            ) : null}
            <Field
              label="Mail addresses"
              hint="One a line, or with commas between them."
              rows={3}
              value={addresses}
              onInput={setAddresses}
            />
          </>
        ) : (
          <p class="muted">Anybody who has the link may join with it until it expires.</p>
        )}
        <div class="later-grid">
          <Choice
            label="They join as"
            value={role}
            options={roles.map(([value, name]) => [String(value), name] as const)}
            onChange={setRole}
          />
          <Choice label="Good for" value={expiry} options={EXPIRIES} onChange={setExpiry} />
        </div>
        <ChannelChoices chosen={channelIds} onChange={setChannelIds} />
        {link === null || shownWay === 'mail' ? null : <Secret text={link} what="link" />}
      </Form>
      <section class="later-section">
        <h3>Open invitations</h3>
        <InvitationList list={list.value} onChange={list.reload} />
      </section>
    </Dialog>
  );
}

interface ChannelChoicesProps {
  readonly chosen: readonly number[];
  readonly onChange: (channelIds: readonly number[]) => void;
}

function ChannelChoices({ chosen, onChange }: ChannelChoicesProps) {
  const all = [...channels.value.values()].sort((one, other) => one.name.localeCompare(other.name));
  return (
    <details>
      <summary>
        Channels{' '}
        {chosen.length === 0 ? '· those that everybody starts with' : `· ${chosen.length} more`}
      </summary>
      <div class="later-grid">
        {all.map(({ id, name }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                onChange(
                  currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                )
              }
            />
            <span class="cut">#{name}</span>
          </label>
        ))}
      </div>
    </details>
  );
}

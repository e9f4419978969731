import { useState } from 'preact/hooks';
import { attempt, Choice, Switch } from '../../parts/form.tsx';
import { Secret } from '../../parts/secret.tsx';
import { app } from '../../store/app.ts';
import { changeOwn, mailAddress, type OwnProperty } from '../../store/channels/browse.ts';
import { sayFault } from '../../store/notices.ts';

const NOTIFICATIONS: readonly (readonly [OwnProperty, string])[] = [
  ['desktop_notifications', 'On the desktop'],
  ['audible_notifications', 'With a sound'],
  ['push_notifications', 'By push'],
  ['email_notifications', 'By mail'],
  ['wildcard_mentions_notify', 'When all are mentioned'],
];

/** A channel follows the settings of the account until it has its own. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ['null', 'As in your settings'],
  ['true', 'Always'],
  ['false', 'Never'],
];

/** Colours that keep channels apart in both themes. */
const COLORS = [
  '#4f6bed',
  '#2f9e6b',
  '#d97706',
  '#c2417c',
  '#0e8ba0',
  '#7c4dcc',
  '#a38a00',
  '#c94a3b',
  '#5f7285',
];

/** The settings that the account has of a channel for itself. */
export function ForYou({ channelId }: { readonly channelId: number }) {
  const own = app.read('subscriptions').subscriptions.get(channelId);
  if (own === undefined) return null;
  const change = (property: OwnProperty, value: boolean | string | null) =>
    changeOwn(channelId, property, value);
  return (
    <>
      <Switch
        label="Pinned to the top"
        checked={own.pin_to_top}
        onChange={(wanted) => change('pin_to_top', wanted)}
      />
      <Switch
        label="Muted"
        hint="Its messages count as unread nowhere, unless you follow their topics."
        checked={own.is_muted}
        onChange={(wanted) => change('is_muted', wanted)}
      />
      <fieldset class="field">
        <legend>Colour</legend>
        <div class="swatches">
          {COLORS.map((color) => (
            <label key={color} class="swatch" style={{ '--hue': color }} title={color}>
              <input
                type="radio"
                name="color"
                aria-label={`Colour ${color}`}
                checked={own.color.toLowerCase() === color}
                onChange={() => attempt(change('color', color))}
              />
            </label>
          ))}
          <label class="check">
            <input
              type="color"
              value={own.color}
              onChange={({ currentTarget }) => attempt(change('color', currentTarget.value))}
            />
            Another one
          </label>
        </div>
      </fieldset>
      <h3>Tell me of each message</h3>
      <div class="later-grid">
        {NOTIFICATIONS.map(([property, label]) => (
          <Choice
            key={property}
            label={label}
            value={String(own[property as keyof typeof own] ?? null)}
            options={ANSWERS}
            onChange={(value) => attempt(change(property, JSON.parse(value) as boolean | null))}
          />
        ))}
      </div>
      <MailAddress channelId={channelId} />
    </>
  );
}

/** Shows the address by which the account, and others that it gives it to, write by mail. */
function MailAddress({ channelId }: { readonly channelId: number }) {
  const [address, setAddress] = useState<string | null>(null);
  const show = () => mailAddress(channelId).then(setAddress, sayFault);
  return (
    <section class="later-section">
      <h3>Mail</h3>
      {address === null ? (
        <button type="button" onClick={() => void show()}>
          Show the mail address of the channel
        </button>
      ) : (
        <Secret what="mail address" text={address} />
      )}
      <p class="muted">
        If your server receives mails, a mail to this address becomes a message here, with its
        subject as the topic. Everybody who has the address can write, for as long as you may.
      </p>
    </section>
  );
}

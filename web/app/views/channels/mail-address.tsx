import { useState } from 'preact/hooks';
import { Secret } from '../../parts/secret.tsx';
import { mailAddress } from '../../store/channels/browse.ts';
import { sayFault } from '../../store/notices.ts';

/** Shows the address by which the account, and others that it gives it to, write by mail. */
export function MailAddress({ channelId }: { readonly channelId: number }) {
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

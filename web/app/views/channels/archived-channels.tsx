import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { type ArchivedChannel, archivedChannels, bringBack } from '../../store/channels/browse.ts';
import { mayRead } from '../../store/channels/permissions.ts';
import { hrefOf } from '../../store/navigation.ts';
import { channelNarrow, narrowRoute } from '../../store/route.ts';
import { Empty } from '../empty.tsx';

const ROW_REM = 3.75;

/** The channels in the archive, to be read; those who administer one bring it back. */
export function ArchivedChannels({ text }: { readonly text: string }) {
  const found = archivedChannels(app.read('channels'), text);
  if (found.length === 0) {
    const isFiltered = text.trim() !== '';
    return (
      <Empty
        icon="archive"
        title={isFiltered ? 'The archive has no such channel' : 'The archive is empty'}
      >
        <p>Channels that are archived are kept here with all of their messages.</p>
      </Empty>
    );
  }
  return (
    <WindowList
      label="Channels in the archive"
      class="card-list"
      items={found}
      keyOf={({ id }) => String(id)}
      rowRem={ROW_REM}
      hasFocus={canFocus}
    >
      {(channel, tabIndex) => <ArchivedRow channel={channel} tabIndex={tabIndex} />}
    </WindowList>
  );
}

/** Administrators know of private channels that they do not read. */
const isRead = (id: number) => mayRead(app.read('channels', 'subscriptions', 'groups', 'own'), id);

const mayBringBack = (id: number) =>
  mayAdministerChannel(app.read('channels', 'groups', 'own'), id);

const canFocus = ({ id }: ArchivedChannel) => isRead(id) || mayBringBack(id);

interface ArchivedRowProps {
  readonly channel: ArchivedChannel;
  readonly tabIndex: 0 | -1;
}

function ArchivedRow({ channel, tabIndex }: ArchivedRowProps) {
  const { id, name, description, isPrivate } = channel;
  return (
    <div class="channel-row">
      <span class="sign">
        <Icon name={isPrivate ? 'lock' : 'hash'} />
      </span>
      <div class="card-text">
        {isRead(id) ? (
          <a
            class="card-name cut"
            href={hrefOf(narrowRoute(channelNarrow(id)))}
            tabIndex={tabIndex}
          >
            {name}
          </a>
        ) : (
          <p class="card-name cut">{name}</p>
        )}
        <p class="card-about cut">{description}</p>
      </div>
      {mayBringBack(id) ? (
        <button
          type="button"
          class="card-act"
          aria-label={`Bring back ${name}`}
          tabIndex={tabIndex}
          onClick={() => attempt(bringBack(id), `#${name} is back.`)}
        >
          Bring back
        </button>
      ) : null}
    </div>
  );
}

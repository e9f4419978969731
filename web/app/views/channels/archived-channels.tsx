import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { archivedChannels, unarchiveChannel } from '../../store/channels/browse.ts';
import { say } from '../../store/notices.ts';
import { Empty } from '../empty.tsx';

const ROW_REM = 3.75;

/** The channels in the archive; those who run the organization bring them back. */
export function ArchivedChannels({ text }: { readonly text: string }) {
  const { value, reload } = useLoaded(archivedChannels);
  const mayBringBack = isAdministrator(app.read('own'));
  if (value === null) return null;
  const wanted = text.trim().toLowerCase();
  const found = value.filter(({ name }) => name.toLowerCase().includes(wanted));
  const bringBack = async (id: number, name: string) => {
    await unarchiveChannel(id);
    say(`#${name} is back.`);
    await reload();
  };
  if (found.length === 0) {
    return (
      <Empty icon="hash" title="The archive has no such channel">
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
      hasFocus={() => mayBringBack}
    >
      {({ id, name, description, isPrivate }, tabIndex) => (
        <div class="channel-row">
          <span class="sign">
            <Icon name={isPrivate ? 'lock' : 'hash'} />
          </span>
          <div class="card-text">
            <p class="card-name cut">{name}</p>
            <p class="card-about cut">{description}</p>
          </div>
          {mayBringBack ? (
            <button
              type="button"
              class="card-act"
              aria-label={`Bring back ${name}`}
              tabIndex={tabIndex}
              onClick={() => attempt(bringBack(id, name))}
            >
              Bring back
            </button>
          ) : null}
        </div>
      )}
    </WindowList>
  );
}

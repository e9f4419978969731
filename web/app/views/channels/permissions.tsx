import { mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { changeChannel, permissionChange } from '../../store/channels/browse.ts';
import { optionsFor, PERMISSIONS, type PermissionWords } from '../../store/channels/permissions.ts';
import { Held } from '../rights/held.tsx';
import { HoldersRow } from '../rights/holders-row.tsx';

interface PermissionsProps {
  readonly channelId: number;
}

/** The rights of people in a channel; those who administer it change them. */
export function Permissions({ channelId }: PermissionsProps) {
  const state = app.read('channels', 'groups', 'own');
  const channel = state.channels.get(channelId);
  const mayChange = mayAdministerChannel(state, channelId);
  return (
    <>
      {mayChange ? null : <p class="muted">Those who administer the channel can change this.</p>}
      {PERMISSIONS.map(({ title, settings }) => (
        <section key={title} class="permissions">
          <h3>{title}</h3>
          {settings.map((words) =>
            mayChange ? (
              <Permission key={words.name} channelId={channelId} words={words} />
            ) : (
              <Held key={words.name} label={words.label} holders={channel?.[words.name]} />
            ),
          )}
        </section>
      ))}
    </>
  );
}

interface PermissionProps extends PermissionsProps {
  readonly words: PermissionWords;
}

function Permission({ channelId, words }: PermissionProps) {
  const state = app.read('channels', 'groups', 'users');
  const { name, label, hint } = words;
  const holders = state.channels.get(channelId)?.[name];
  return (
    <HoldersRow
      label={label}
      hint={hint}
      holders={holders}
      options={optionsFor(state, name)}
      onKeep={(after) => changeChannel(channelId, permissionChange(name, holders, after))}
    />
  );
}

import { KeptChoice, KeptSwitch } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { app } from '../../store/app.ts';
import {
  isRealmOn,
  REALM_MESSAGE_TOGGLES,
  setRealmToggle,
} from '../../store/organization/organization.ts';
import {
  HISTORY,
  LIMITS,
  PERMISSIONS,
  type PermissionWords,
  permissionIn,
  retentionWith,
  setHistory,
  setLimit,
  setPermission,
  setRetention,
  spansWith,
} from '../../store/organization/permissions.ts';
import { HoldersRow } from '../rights/holders-row.tsx';

/** Says who may do what, and for how long. */
export const Permissions = () => (
  <>
    {PERMISSIONS.map(({ title, settings }) => (
      <Panel key={title} title={title}>
        {settings.map((words) => (
          <Permission key={words.name} words={words} />
        ))}
      </Panel>
    ))}
    <Limits />
  </>
);

const OF_OWNERS = 'Only owners change this.';

function Permission({ words }: { readonly words: PermissionWords }) {
  const { name, label, isOfOwners } = words;
  const state = app.read('realm', 'groups', 'own');
  const { holders, options, mayBeSome } = permissionIn(state, name);
  const isFixed = isOfOwners === true && state.facts.is_owner !== true;
  return (
    <HoldersRow
      label={label}
      hint={isFixed ? OF_OWNERS : undefined}
      holders={holders}
      options={options}
      mayBeSome={mayBeSome}
      isDisabled={isFixed}
      onKeep={(after) => setPermission(name, holders, after)}
    />
  );
}

function Limits() {
  const { facts } = app.read('realm', 'own');
  const isOwner = facts.is_owner === true;
  const days = facts.realm_message_retention_days;
  return (
    <Panel
      title="Changes of messages"
      hint="Moderators and administrators move messages without a limit."
    >
      {REALM_MESSAGE_TOGGLES.map(([name, label]) => (
        <KeptSwitch
          key={name}
          label={label}
          value={isRealmOn(name)}
          onKeep={(wanted) => setRealmToggle(name, wanted)}
        />
      ))}
      {LIMITS.map(({ name, label }) => {
        const seconds = facts[`realm_${name}`];
        return (
          <KeptChoice
            key={name}
            label={label}
            value={String(seconds ?? 'unlimited')}
            options={spansWith(seconds)}
            onKeep={(wanted) => setLimit(name, wanted)}
          />
        );
      })}
      <KeptChoice
        label="What others see of changes"
        value={facts.realm_message_edit_history_visibility_policy ?? 'all'}
        options={HISTORY}
        onKeep={setHistory}
      />
      <KeptChoice
        label="Messages are kept"
        hint={isOwner ? 'Older ones are deleted, and files with them.' : OF_OWNERS}
        value={days === undefined || days < 0 ? 'unlimited' : String(days)}
        options={retentionWith(days)}
        isDisabled={!isOwner}
        onKeep={setRetention}
      />
    </Panel>
  );
}

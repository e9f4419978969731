import { Dialog } from '../../parts/dialog.tsx';
import { app } from '../../store/app.ts';
import {
  GROUP_RIGHTS,
  type GroupRightWords,
  optionsOfRight,
  setGroupRight,
} from '../../store/organization/group-rights.ts';
import { mayManage } from '../../store/organization/groups.ts';
import { Held } from '../rights/held.tsx';
import { HoldersRow } from '../rights/holders-row.tsx';

export interface GroupRightsProps {
  readonly groupId: number;
  readonly onClose: () => void;
}

/** The rights over a group; those who may change the group change them, and others read them. */
export function GroupRights({ groupId, onClose }: GroupRightsProps) {
  const state = app.read('groups', 'own', 'realm');
  const group = state.groups.get(groupId);
  if (group === undefined || group.deactivated) {
    return (
      <Dialog title="Unknown group" onClose={onClose}>
        <p>This group is not there any more.</p>
      </Dialog>
    );
  }
  const mayChange = mayManage(state, group);
  return (
    <Dialog title={`Rights of @${group.name}`} class="wide" onClose={onClose}>
      <div class="tab-panel">
        {mayChange ? null : <p class="muted">Those who may change the group can change this.</p>}
        {GROUP_RIGHTS.map(({ title, settings }) => (
          <section key={title} class="permissions">
            <h3>{title}</h3>
            {settings.map((words) =>
              mayChange ? (
                <Right key={words.name} groupId={groupId} words={words} />
              ) : (
                <Held key={words.name} label={words.label} holders={group[words.name]} />
              ),
            )}
          </section>
        ))}
      </div>
    </Dialog>
  );
}

interface RightProps {
  readonly groupId: number;
  readonly words: GroupRightWords;
}

function Right({ groupId, words: { name, label, hint } }: RightProps) {
  const state = app.read('groups', 'users');
  const before = state.groups.get(groupId)?.[name];
  return (
    <HoldersRow
      label={label}
      hint={hint}
      holders={before}
      options={optionsOfRight(state, name)}
      onKeep={(after) => setGroupRight(groupId, { name, before, after })}
    />
  );
}

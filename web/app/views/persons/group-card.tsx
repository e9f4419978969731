import { copy } from '../../net/clipboard.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt } from '../../parts/form.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { app } from '../../store/app.ts';
import { personOf, presenceOf } from '../../store/model.ts';
import { openPanel } from '../../store/panels.ts';
import { groupIn, joinGroup, leaveGroup } from '../../store/people/groups.ts';
import '../channels/style.ts';

export interface GroupCardProps {
  readonly groupId: number;
  readonly onClose: () => void;
}

const ROW_REM = 2.75;

/** A card that says what a group is for, and who is in it. */
export function GroupCard({ groupId, onClose }: GroupCardProps) {
  const group = groupIn(app.read('groups', 'users', 'own'), groupId);
  if (group === null) {
    return (
      <Dialog title="Unknown group" onClose={onClose}>
        <p>This group is not there any more.</p>
      </Dialog>
    );
  }
  const { label, name, description, memberIds, subgroups, isSystem, mayJoin, mayLeave } = group;
  const count = memberIds.length;
  return (
    <Dialog title={label} onClose={onClose}>
      <div class="profile">
        {description === '' ? null : <p>{description}</p>}
        {subgroups.length === 0 || isSystem ? null : (
          <ul class="chips" aria-label="Groups in it">
            {subgroups.map(({ id, label: text }) => (
              <li key={id}>
                <button
                  type="button"
                  class="chip"
                  onClick={() => openPanel({ about: 'group', groupId: id })}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        )}
        <p class="muted">
          {count === 1 ? '1 member' : `${count} members`}
          {group.isOwn ? ' · you are one of them' : ''}
        </p>
        {count === 0 ? null : (
          <section class="bounded" aria-label="Members">
            <WindowList label="Members" items={memberIds} keyOf={String} rowRem={ROW_REM}>
              {(id, tabIndex) => (
                <div class="person-row">
                  <Avatar person={personOf(id)} size="s" presence={presenceOf(id)} />
                  <button
                    type="button"
                    class="card-name cut"
                    tabIndex={tabIndex}
                    onClick={() => openPanel({ about: 'person', userId: id })}
                  >
                    {personOf(id).name}
                  </button>
                </div>
              )}
            </WindowList>
          </section>
        )}
        <div class="form-buttons">
          <button
            type="button"
            onClick={() => attempt(copy(`@*${name}*`), 'The mention is copied.')}
          >
            Copy the mention
          </button>
          {mayJoin ? (
            <button type="button" onClick={() => attempt(joinGroup(groupId))}>
              Join the group
            </button>
          ) : null}
          {mayLeave ? (
            <button type="button" onClick={() => attempt(leaveGroup(groupId))}>
              Leave the group
            </button>
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}

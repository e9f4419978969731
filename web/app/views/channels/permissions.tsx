import { useRef, useState } from 'preact/hooks';
import { attempt, Choice, Form } from '../../parts/form.tsx';
import { type Holders, mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { changeChannel, permissionChange } from '../../store/channels/browse.ts';
import {
  holdersText,
  optionsFor,
  PERMISSIONS,
  type PermissionWords,
  partsOf,
} from '../../store/channels/permissions.ts';
import { personOf } from '../../store/model.ts';
import { type Who, WhoField } from './who-field.tsx';

interface PermissionsProps {
  readonly channelId: number;
}

/** The rights of people in a channel; those who administer it change them. */
export function Permissions({ channelId }: PermissionsProps) {
  const mayChange = mayAdministerChannel(app.read('channels', 'groups', 'own'), channelId);
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
              <Held key={words.name} channelId={channelId} words={words} />
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

function Held({ channelId, words }: PermissionProps) {
  const state = app.read('channels', 'groups', 'users');
  const holders = state.channels.get(channelId)?.[words.name];
  return (
    <dl class="held">
      <dt>{words.label}</dt>
      <dd>{holdersText(state, holders, (id) => personOf(id).name)}</dd>
    </dl>
  );
}

/** The value of the choice that stands for some people and groups. */
const SOME = 'some';

function Permission({ channelId, words }: PermissionProps) {
  const state = app.read('channels', 'groups', 'users');
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLDivElement>(null);
  const close = () => {
    own.current?.querySelector('select')?.focus();
    setOpen(false);
  };
  const { name, label, hint } = words;
  const holders = state.channels.get(channelId)?.[name];
  const options = optionsFor(state, name);
  const isNamed = typeof holders === 'number' && options.some(({ id }) => id === holders);
  const some =
    isNamed || holders === undefined ? '' : holdersText(state, holders, (id) => personOf(id).name);
  const change = (after: Holders) =>
    changeChannel(channelId, permissionChange(name, holders, after));
  return (
    <div ref={own} class="permission">
      <Choice
        label={label}
        value={isOpen || !isNamed ? SOME : String(holders)}
        options={[
          ...options.map(({ id, label: text }) => [String(id), text] as const),
          [SOME, some === '' ? 'Some people and groups …' : some],
        ]}
        onChange={(value) => {
          setOpen(value === SOME);
          if (value !== SOME) attempt(change(Number(value)));
        }}
      />
      {hint === undefined ? null : <small class="field-hint">{hint}</small>}
      {isOpen ? (
        <SomeHolders holders={holders} options={options} onSave={change} onClose={close} />
      ) : isNamed ? null : (
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          Change these people
        </button>
      )}
    </div>
  );
}

interface SomeHoldersProps {
  readonly holders: Holders | undefined;
  readonly options: ReturnType<typeof optionsFor>;
  readonly onSave: (holders: Holders) => Promise<unknown>;
  readonly onClose: () => void;
}

function SomeHolders({ holders, options, onSave, onClose }: SomeHoldersProps) {
  // The latest choice may still be on its way: until one changes something, it is followed.
  const [changed, setWho] = useState<Who | null>(null);
  const who = changed ?? partsOf(holders);
  const { userIds, groupIds } = who;
  return (
    <Form
      submit="Save"
      isDisabled={userIds.length + groupIds.length === 0}
      onCancel={onClose}
      onSubmit={async () => {
        await onSave({ direct_members: userIds, direct_subgroups: groupIds });
        onClose();
      }}
    >
      <WhoField label="People and groups" chosen={who} groups={options} onChange={setWho} />
    </Form>
  );
}

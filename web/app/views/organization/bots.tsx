import { useComputed, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Choice, Field, Form } from '../../parts/form.tsx';
import { Secret } from '../../parts/secret.tsx';
import { app } from '../../store/app.ts';
import { personOf } from '../../store/model.ts';
import {
  BOT_TYPES,
  botKey,
  botsIn,
  createBot,
  deactivateBot,
  type ListedBot,
  newBotKey,
  reactivate,
  shortNameOf,
} from '../../store/organization/organization.ts';
import { Empty } from '../empty.tsx';

type Asking = { readonly about: 'new' } | { readonly about: 'key'; readonly bot: ListedBot } | null;

/** The programs that act in the organization, and their keys. */
export function Bots() {
  const asking = useSignal<Asking>(null);
  const bots = useComputed(() => botsIn(app.read('users', 'own')));
  const close = () => {
    asking.value = null;
  };
  const make = (
    <button
      type="button"
      class="first"
      onClick={() => {
        asking.value = { about: 'new' };
      }}
    >
      New bot
    </button>
  );
  return (
    <>
      {bots.value.length === 0 ? (
        <Empty icon="settings" title="There is no bot yet">
          <p>A bot is an account for a program, which writes and reads with a key of its own.</p>
          {make}
        </Empty>
      ) : (
        <>
          <div class="later-bar">{make}</div>
          <ul class="card-list">
            {bots.value.map((bot) => (
              <Row
                key={bot.id}
                bot={bot}
                onKey={() => {
                  asking.value = { about: 'key', bot };
                }}
              />
            ))}
          </ul>
        </>
      )}
      {asking.value?.about === 'new' ? <NewBot onClose={close} /> : null}
      {asking.value?.about === 'key' ? <Key bot={asking.value.bot} onClose={close} /> : null}
    </>
  );
}

interface RowProps {
  readonly bot: ListedBot;
  readonly onKey: () => void;
}

function Row({ bot, onKey }: RowProps) {
  const { id, name, email, type, ownerId, isActive, isOwn } = bot;
  return (
    <li class="card-row">
      <Avatar person={personOf(id)} />
      <div class="card-text">
        <span class="card-name cut">{name}</span>
        <p class="card-about cut">
          {email} · {type}
          {isOwn || ownerId === null ? '' : ` · of ${personOf(ownerId).name}`}
          {isActive ? '' : ' · deactivated'}
        </p>
      </div>
      {isActive ? (
        <>
          <button type="button" aria-label={`Key of ${name}`} onClick={onKey}>
            Key
          </button>
          <button
            type="button"
            class="card-act"
            aria-label={`Deactivate ${name}`}
            onClick={() => attempt(deactivateBot(id), `${name} is deactivated.`)}
          >
            Deactivate
          </button>
        </>
      ) : (
        <button
          type="button"
          class="card-act"
          aria-label={`Reactivate ${name}`}
          onClick={() => attempt(reactivate(id), `${name} acts again, with a new key.`)}
        >
          Reactivate
        </button>
      )}
    </li>
  );
}

interface KeyProps {
  readonly bot: ListedBot;
  readonly onClose: () => void;
}

/** A key is made for who asks: the server keeps only a hash of it. */
function Key({ bot, onClose }: KeyProps) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Dialog title={`Key of ${bot.name}`} onClose={onClose}>
      {key === null ? (
        <Form
          submit="Show a key"
          onSubmit={async () => setKey(await botKey(bot.id))}
          onCancel={onClose}
        >
          <p>Whoever has the key acts as the bot.</p>
        </Form>
      ) : (
        <div class="form">
          <Secret text={key} what="key" />
          <p class="muted">It is shown this once.</p>
          <div class="form-buttons">
            <button
              type="button"
              class="grave"
              onClick={() =>
                attempt(newBotKey(bot.id).then(setKey), 'All keys that were before have ended.')
              }
            >
              A new one, and end all before
            </button>
            <button type="button" onClick={onClose}>
              Close
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

function NewBot({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [shortName, setShortName] = useState<string | null>(null);
  const [type, setType] = useState('1');
  const [payloadUrl, setPayloadUrl] = useState('');
  const [key, setKey] = useState<string | null>(null);
  const short = shortName ?? shortNameOf(name);
  if (key !== null) {
    return (
      <Dialog title="The bot is there" onClose={onClose}>
        <div class="form">
          <p>This is its key, with which a program writes and reads.</p>
          <Secret text={key} what="key" />
          <div class="form-buttons">
            <button type="button" class="first" onClick={onClose}>
              Done
            </button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New bot" onClose={onClose}>
      <Form
        submit="Create bot"
        isDisabled={name.trim() === '' || short === ''}
        onSubmit={async () => setKey(await createBot({ name, shortName: short, type, payloadUrl }))}
        onCancel={onClose}
      >
        <Field label="Name" value={name} isFirst isRequired onInput={setName} />
        <Field
          label="Short name"
          hint="Its address begins with this."
          value={short}
          onInput={setShortName}
        />
        <Choice label="What it does" value={type} options={BOT_TYPES} onChange={setType} />
        {type === '3' ? (
          <Field
            label="Address that is called"
            placeholder="https://"
            value={payloadUrl}
            onInput={setPayloadUrl}
          />
        ) : null}
      </Form>
    </Dialog>
  );
}

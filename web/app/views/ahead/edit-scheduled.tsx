import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { changeScheduled, localText, moments, type Scheduled } from '../../store/ahead/ahead.ts';
import { type Destination, isWhole } from '../../store/compose/destination.ts';
import { channelOf, channels, nowMs } from '../../store/model.ts';
import { PeopleField } from '../channels/people-field.tsx';

export interface EditScheduledProps {
  readonly message: Scheduled;
  readonly onClose: () => void;
}

/** Changes the text, the time and the destination of a message that is sent later. */
export function EditScheduled({ message, onClose }: EditScheduledProps) {
  const [text, setText] = useState(message.text);
  const [to, setTo] = useState<Destination>(message.to);
  // The time of one that could not be sent is over.
  const [at, setAt] = useState(() =>
    localText(message.failure === null ? message.atMs : (moments(nowMs.peek())[1]?.atMs ?? 0)),
  );
  const chosenMs = Date.parse(at);
  // The field shows no seconds: a time that nobody has changed keeps those that it has.
  const atMs = at === localText(message.atMs) ? message.atMs : chosenMs;
  const isSame =
    message.failure === null &&
    text.trim() === message.text &&
    atMs === message.atMs &&
    JSON.stringify(to) === JSON.stringify(message.to);
  return (
    <Dialog title="Sent later" onClose={onClose}>
      <Form
        submit="Save"
        isDisabled={isSame || text.trim() === '' || Number.isNaN(atMs) || !isWhole(to)}
        onCancel={onClose}
        onSubmit={async () => {
          await changeScheduled(message, { text, to, atMs });
          onClose();
        }}
      >
        {message.failure === null ? null : (
          <p class="form-fault">It was not sent: {message.failure}</p>
        )}
        <Field label="Message" rows={5} value={text} isFirst onInput={setText} />
        <Field label="When" type="datetime-local" value={at} onInput={setAt} />
        <To to={to} onChange={setTo} />
      </Form>
    </Dialog>
  );
}

interface ToProps {
  readonly to: Destination;
  readonly onChange: (to: Destination) => void;
}

const DIRECT = 'direct';

function To({ to, onChange }: ToProps) {
  const own = to.type === 'channel' && to.channelId !== null ? channelOf(to.channelId) : undefined;
  const all = [...channels.value.values()].sort((one, other) => one.name.localeCompare(other.name));
  // A channel that one has left is shown as well, as the message would go there.
  const listed = own === undefined || channels.value.has(own.id) ? all : [own, ...all];
  return (
    <>
      <Choice
        label="Where it goes"
        value={to.type === 'direct' ? DIRECT : String(to.channelId ?? '')}
        options={[
          [DIRECT, 'To people'],
          ...listed.map(({ id, name }) => [String(id), `#${name}`] as const),
        ]}
        onChange={(value) =>
          onChange(
            value === DIRECT
              ? { type: 'direct', userIds: [] }
              : {
                  type: 'channel',
                  channelId: Number(value),
                  topic: to.type === 'channel' ? to.topic : '',
                },
          )
        }
      />
      {to.type === 'direct' ? (
        <PeopleField
          label="People"
          chosen={to.userIds}
          onChange={(userIds) => onChange({ type: 'direct', userIds })}
        />
      ) : (
        <Field label="Topic" value={to.topic} onInput={(topic) => onChange({ ...to, topic })} />
      )}
    </>
  );
}

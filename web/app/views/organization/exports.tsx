import { useState } from 'preact/hooks';
import { attempt, Choice, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { useLive, useLoaded } from '../../parts/use-loaded.ts';
import { nowMs, personOf } from '../../store/model.ts';
import {
  consents,
  deleteExport,
  EXPORT_TYPES,
  exportsOfRealm,
  outcomeOf,
  type RealmExport,
  startExport,
} from '../../store/organization/exports.ts';
import { clock, day } from '../../store/times.ts';

/** Archives with what the organization has, to take elsewhere. */
export function Exports() {
  const { value, reload } = useLive(exportsOfRealm, 'realm_export');
  const { value: agreed } = useLoaded(consents);
  const [type, setType] = useState('1');
  return (
    <>
      <Panel
        title="New export"
        hint="It is written in the background. It has no passwords and no keys; five may be made in a week."
      >
        <Form
          submit="Begin the export"
          onSubmit={async () => {
            await startExport(type);
            await reload();
          }}
        >
          <Choice label="What is in it" value={type} options={EXPORT_TYPES} onChange={setType} />
          {type === '1' || agreed === null ? null : (
            <p class="muted">
              {agreed.agreed} of {agreed.all} people agree; they say so in their settings.
            </p>
          )}
        </Form>
      </Panel>
      <Panel title="Exports">
        {value === null || value.length === 0 ? (
          <p>There is none yet.</p>
        ) : (
          <ul class="card-list">
            {value.map((one) => (
              <Row key={one.id} one={one} onChange={reload} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

interface RowProps {
  readonly one: RealmExport;
  readonly onChange: () => Promise<void>;
}

const WORDS = {
  pending: 'It is being written.',
  failed: 'It could not be written.',
  deleted: 'Its archive is deleted.',
  ready: 'Whoever has the link may have the archive.',
};

function Row({ one, onChange }: RowProps) {
  const atMs = one.export_time * 1_000;
  const outcome = outcomeOf(one);
  const name = `${day(atMs, nowMs.value)}, ${clock(atMs)}`;
  return (
    <li class="card-row">
      <div class="card-text">
        <span class="card-name">
          {name} · {one.export_type === 1 ? 'what is public' : 'with what is private'}
        </span>
        <p class="card-about">
          by {personOf(one.acting_user_id).name} · {WORDS[outcome]}
        </p>
      </div>
      {outcome === 'ready' && one.export_url !== null ? (
        <>
          <a href={one.export_url} download>
            Download
          </a>
          <button
            type="button"
            class="card-act"
            aria-label={`Delete the archive of ${name}`}
            onClick={() => attempt(deleteExport(one.id).then(onChange))}
          >
            Delete
          </button>
        </>
      ) : null}
    </li>
  );
}

import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { MoveButtons } from '../../parts/pages/move-buttons.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import {
  addLinkifier,
  addPlayground,
  changeLinkifier,
  type Linkifier,
  linkifiers,
  moveLinkifier,
  playgrounds,
  removeLinkifier,
  removePlayground,
} from '../../store/organization/links.ts';

/** Words that become links, and places where code is tried out. */
export const Links = () => (
  <>
    <Linkifiers />
    <Playgrounds />
  </>
);

type Asked = Linkifier | 'new' | null;

function Linkifiers() {
  const asked = useSignal<Asked>(null);
  const all = linkifiers();
  const close = () => {
    asked.value = null;
  };
  return (
    <Panel
      title="Words that become links"
      hint="Such as the numbers of tickets. The first pattern that fits makes the link."
    >
      {all.length === 0 ? null : (
        <ul class="card-list">
          {all.map((one, at) => (
            <li key={one.id} class="card-row">
              <div class="card-text">
                <code class="card-name cut">{one.pattern}</code>
                <p class="card-about cut">{one.url_template}</p>
              </div>
              <MoveButtons
                name={one.pattern}
                isFirst={at === 0}
                isLast={at === all.length - 1}
                onMove={(by) => moveLinkifier(one.id, by)}
              />
              <button
                type="button"
                aria-label={`Change ${one.pattern}`}
                onClick={() => {
                  asked.value = one;
                }}
              >
                Change
              </button>
              <button
                type="button"
                class="card-act"
                aria-label={`Take away ${one.pattern}`}
                onClick={() => attempt(removeLinkifier(one.id))}
              >
                Take away
              </button>
            </li>
          ))}
        </ul>
      )}
      <button
        type="button"
        onClick={() => {
          asked.value = 'new';
        }}
      >
        Add a pattern
      </button>
      {asked.value === null ? null : <LinkifierDialog asked={asked.value} onClose={close} />}
    </Panel>
  );
}

interface LinkifierDialogProps {
  readonly asked: Linkifier | 'new';
  readonly onClose: () => void;
}

function LinkifierDialog({ asked, onClose }: LinkifierDialogProps) {
  const before = asked === 'new' ? { pattern: '', url_template: '' } : asked;
  const [pattern, setPattern] = useState(before.pattern);
  const [template, setTemplate] = useState(before.url_template);
  return (
    <Dialog
      title={asked === 'new' ? 'Words that become links' : 'Change the pattern'}
      onClose={onClose}
    >
      <Form
        submit="Save"
        isDisabled={pattern.trim() === '' || template.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          if (asked === 'new') await addLinkifier({ pattern, template });
          else await changeLinkifier(asked.id, { pattern, template });
          onClose();
        }}
      >
        <Field
          label="Pattern"
          hint="A regular expression with names: #(?P<id>[0-9]+)"
          value={pattern}
          isFirst
          onInput={setPattern}
        />
        <Field
          label="Address"
          hint="With the names in braces: https://example.com/tickets/{id}"
          placeholder="https://"
          value={template}
          onInput={setTemplate}
        />
      </Form>
    </Dialog>
  );
}

function Playgrounds() {
  const all = playgrounds();
  const [name, setName] = useState('');
  const [language, setLanguage] = useState('');
  const [template, setTemplate] = useState('');
  return (
    <Panel
      title="Places to try code out"
      hint="Blocks of code of a language get a button that leads there."
    >
      {all.length === 0 ? null : (
        <ul class="card-list">
          {all.map((one) => (
            <li key={one.id} class="card-row">
              <div class="card-text">
                <span class="card-name cut">
                  {one.name} · {one.pygments_language}
                </span>
                <p class="card-about cut">{one.url_template}</p>
              </div>
              <button
                type="button"
                class="card-act"
                aria-label={`Take away ${one.name}`}
                onClick={() => attempt(removePlayground(one.id))}
              >
                Take away
              </button>
            </li>
          ))}
        </ul>
      )}
      <Form
        submit="Add a place"
        isDisabled={name.trim() === '' || language.trim() === '' || template.trim() === ''}
        onSubmit={async () => {
          await addPlayground({ name, language, template });
          setName('');
          setLanguage('');
          setTemplate('');
        }}
      >
        <div class="later-grid">
          <Field label="Name of the place" value={name} maxLength={60} onInput={setName} />
          <Field
            label="Language"
            hint="As behind the three backticks: Python"
            value={language}
            maxLength={40}
            onInput={setLanguage}
          />
        </div>
        <Field
          label="Its address"
          hint="With {code} where the code goes: https://example.com/?code={code}"
          placeholder="https://"
          value={template}
          onInput={setTemplate}
        />
      </Form>
    </Panel>
  );
}

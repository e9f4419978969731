import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { say, sayFault } from '../store/notices.ts';
import './later-style.ts';

export interface FormProps {
  /** The name of the button that sends it. */
  readonly submit: string;
  readonly isGrave?: boolean;
  readonly isDisabled?: boolean;
  /** Rejects with the refusal, which is shown at the button. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

/** Fields with a button, and with the words of the server where it refuses. */
export function Form({ submit, isGrave, isDisabled, onSubmit, onCancel, children }: FormProps) {
  const fault = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const send = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    fault.value = null;
    try {
      await onSubmit();
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      {fault.value === null ? null : (
        <p class="form-fault" role="alert">
          {fault.value}
        </p>
      )}
      <div class="form-buttons">
        <button
          type="submit"
          class={isGrave ? 'grave' : 'first'}
          disabled={isDisabled}
          // It keeps the focus meanwhile, and does nothing.
          aria-busy={isBusy.value}
        >
          {submit}
        </button>
        {onCancel === undefined ? null : (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly type?: 'text' | 'password' | 'email' | 'search' | 'datetime-local' | 'color';
  readonly maxLength?: number;
  readonly rows?: number;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  /** True if it has the focus when it is shown. */
  readonly isFirst?: boolean;
  readonly onInput: (value: string) => void;
}

/** A field for a text, with its name above it and a hint below. */
export function Field({
  label,
  hint,
  type = 'text',
  rows,
  isRequired,
  isFirst,
  ...rest
}: FieldProps) {
  const id = useId();
  const { onInput, ...own } = rest;
  useEffect(() => {
    if (isFirst) document.getElementById(id)?.focus();
  }, []);
  const common = {
    ...own,
    id,
    required: isRequired === true,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onInput(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input type={type as 'text'} {...common} />
      ) : (
        <textarea rows={rows} {...common} />
      )}
      {hint === undefined ? null : (
        <small id={`${id}-hint`} class="field-hint">
          {hint}
        </small>
      )}
    </div>
  );
}

export interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly isBare?: boolean;
  readonly onChange: (value: string) => void;
}

/** A field whose values are known. A bare one has a name that is read, and not shown. */
export function Choice({ label, value, options, isBare, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={isBare ? 'unseen' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

export interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A box that is checked or not. */
export const Check = ({ label, checked, isDisabled, onChange }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
);

export interface SwitchProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  /** Rejects with the refusal; until the change is known, what is wanted is shown. */
  readonly onChange: (wanted: boolean) => Promise<unknown>;
}

/** A setting that is on or off, and that the server keeps. */
export function Switch({ label, hint, checked, onChange }: SwitchProps) {
  const wanted = useSignal<boolean | null>(null);
  // The answer comes before the event that changes what is known.
  useEffect(() => {
    wanted.value = null;
  }, [checked]);
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={wanted.value ?? checked}
        onChange={({ currentTarget }) => {
          wanted.value = currentTarget.checked;
          onChange(currentTarget.checked).catch((error: unknown) => {
            wanted.value = null;
            sayFault(error);
          });
        }}
      />
      <span>
        {label}
        {hint === undefined ? null : <small class="field-hint">{hint}</small>}
      </span>
    </label>
  );
}

/** Waits for something that somebody asked for, and tells what came of it. */
export function attempt(act: Promise<unknown>, done?: string): void {
  act.then(() => {
    if (done !== undefined) say(done);
  }, sayFault);
}

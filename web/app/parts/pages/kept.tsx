import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './kept-style.ts';

/** As long as one looks for it after a click. */
const SAVED_MS = 2_500;

type Outcome = { readonly isSaved: true } | { readonly fault: string } | null;

/**
 * Keeps a value elsewhere, as soon as it is chosen. Until the change is known, what is wanted is
 * shown; a refusal brings back what is known.
 */
export function useKept<Value>(known: Value, keep: (wanted: Value) => Promise<unknown>) {
  const wanted = useSignal<{ readonly value: Value } | null>(null);
  const outcome = useSignal<Outcome>(null);
  const turn = useRef(0);
  // The answer comes before the event that changes what is known.
  useEffect(() => {
    wanted.value = null;
  }, [known]);
  const set = async (value: Value): Promise<boolean> => {
    turn.current += 1;
    const own = turn.current;
    wanted.value = { value };
    outcome.value = null;
    let result: Outcome = { isSaved: true };
    try {
      await keep(value);
    } catch (error) {
      result = { fault: error instanceof Error ? error.message : String(error) };
    }
    const isKept = 'isSaved' in result;
    if (own !== turn.current) return isKept;
    outcome.value = result;
    if (!isKept) wanted.value = null;
    else {
      setTimeout(() => {
        if (own === turn.current) outcome.value = null;
      }, SAVED_MS);
    }
    return isKept;
  };
  return {
    shown: wanted.value === null ? known : wanted.value.value,
    outcome: outcome.value,
    set,
  };
}

/** Says that a change is kept, or why it is not. */
export const Outcomes = ({ outcome }: { readonly outcome: Outcome }) => (
  <span class="kept-outcome" role="status">
    {outcome === null ? null : 'fault' in outcome ? (
      <span class="kept-fault">{outcome.fault}</span>
    ) : (
      <span class="kept-saved">Saved</span>
    )}
  </span>
);

interface KeptLabelProps {
  /** The id of the field. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Names a field beside it, and says what it is for. */
export const KeptLabel = ({ id, label, hint }: KeptLabelProps) => (
  <label for={id}>
    {label}
    {hint === undefined ? null : <small class="field-hint">{hint}</small>}
  </label>
);

interface KeptProps<Value> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: Value;
  readonly isDisabled?: boolean;
  /** Rejects with the refusal. */
  readonly onKeep: (value: Value) => Promise<unknown>;
}

/** A setting that is on or off. */
export function KeptSwitch({ label, hint, value, isDisabled, onKeep }: KeptProps<boolean>) {
  const { shown, outcome, set } = useKept(value, onKeep);
  return (
    <div class="kept">
      <label class="check">
        <input
          type="checkbox"
          checked={shown}
          disabled={isDisabled}
          onChange={({ currentTarget }) => void set(currentTarget.checked)}
        />
        <span>
          {label}
          {hint === undefined ? null : <small class="field-hint">{hint}</small>}
        </span>
      </label>
      <Outcomes outcome={outcome} />
    </div>
  );
}

export interface KeptChoiceProps extends KeptProps<string> {
  readonly options: readonly (readonly [value: string, words: string])[];
}

/** A setting with several values. */
export function KeptChoice({ label, hint, value, options, isDisabled, onKeep }: KeptChoiceProps) {
  const id = useId();
  const { shown, outcome, set } = useKept(value, onKeep);
  return (
    <div class="kept-row">
      <KeptLabel id={id} label={label} hint={hint} />
      <select
        id={id}
        value={shown}
        disabled={isDisabled}
        onChange={({ currentTarget }) => void set(currentTarget.value)}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one} selected={one === shown}>
            {words}
          </option>
        ))}
      </select>
      <Outcomes outcome={outcome} />
    </div>
  );
}

export interface KeptTextProps extends KeptProps<string> {
  readonly type?: 'text' | 'date' | 'url';
  readonly rows?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
}

/** A text that is kept when one is done with it: by Enter, or by leaving the field. */
export function KeptText(props: KeptTextProps) {
  const { label, hint, value, rows, isDisabled, onKeep, type = 'text', ...rest } = props;
  const id = useId();
  const { shown, outcome, set } = useKept(value, onKeep);
  const [text, setText] = useState<string | null>(null);
  const keepNow = (field: { readonly value: string }) => {
    const next = field.value.trim();
    if (next === value) return setText(null);
    // A text that was refused stays in the field, to be mended, and so does what is written since.
    return void set(next).then((isKept) => {
      if (isKept) setText((now) => (now?.trim() === next ? null : now));
    });
  };
  const isDate = type === 'date';
  const own = {
    ...rest,
    id,
    value: text ?? shown,
    disabled: isDisabled === true,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setText(currentTarget.value),
    // A date changes with each digit of its year.
    [isDate ? 'onBlur' : 'onChange']: ({ currentTarget }: { currentTarget: { value: string } }) =>
      keepNow(currentTarget),
    onKeyDown: ({ key, currentTarget }: KeyboardEvent & { currentTarget: { value: string } }) => {
      if (isDate && key === 'Enter') keepNow(currentTarget);
    },
  };
  return (
    <div class="field">
      <div class="kept">
        <label for={id}>{label}</label>
        <Outcomes outcome={outcome} />
      </div>
      {rows === undefined ? (
        <input type={type as 'text'} {...own} />
      ) : (
        <textarea rows={rows} {...own} />
      )}
      {hint === undefined || hint === '' ? null : (
        <small id={`${id}-hint`} class="field-hint">
          {hint}
        </small>
      )}
    </div>
  );
}

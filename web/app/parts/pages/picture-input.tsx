import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { pictureFault } from '../../store/account/profile.ts';

export interface PictureInputProps {
  readonly label: string;
  readonly hint: string;
  readonly mibMax: number;
  /** Rejects with the refusal. */
  readonly onTake: (file: File) => Promise<unknown>;
}

/** A field for a picture, which is sent as soon as it is chosen. */
export function PictureInput({ label, hint, mibMax, onTake }: PictureInputProps) {
  const id = useId();
  const fault = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const take = async (file: File) => {
    fault.value = pictureFault(file, mibMax);
    if (fault.value !== null) return;
    isBusy.value = true;
    try {
      await onTake(file);
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  return (
    <div class="field picture-input" aria-busy={isBusy.value}>
      <input
        id={id}
        class="unseen"
        type="file"
        accept="image/*"
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file !== undefined && !isBusy.value) void take(file);
        }}
      />
      <label for={id}>{label}</label>
      <small id={`${id}-hint`} class="field-hint">
        {hint}
      </small>
      <span role="status">{isBusy.value ? 'It is being sent …' : ''}</span>
      {fault.value === null ? null : (
        <p class="form-fault" role="alert">
          {fault.value}
        </p>
      )}
    </div>
  );
}

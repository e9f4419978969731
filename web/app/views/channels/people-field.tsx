import { ownId } from '../../store/model.ts';
import { WhoField } from './who-field.tsx';

export interface PeopleFieldProps {
  readonly label: string;
  readonly chosen: readonly number[];
  readonly onChange: (userIds: readonly number[]) => void;
}

/** A field that collects other people by their names. */
export const PeopleField = ({ label, chosen, onChange }: PeopleFieldProps) => (
  <WhoField
    label={label}
    chosen={{ userIds: chosen, groupIds: [] }}
    isWanted={({ id }) => id !== ownId.value}
    onChange={({ userIds }) => onChange(userIds)}
  />
);

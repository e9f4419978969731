import type { Holders } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { holdersText } from '../../store/channels/permissions.ts';
import { personOf } from '../../store/model.ts';

export interface HeldProps {
  readonly label: string;
  readonly holders: Holders | undefined;
}

/** A right as those read it who do not change it. */
export function Held({ label, holders }: HeldProps) {
  const state = app.read('groups', 'users');
  return (
    <dl class="held">
      <dt>{label}</dt>
      <dd>{holdersText(state, holders, (id) => personOf(id).name)}</dd>
    </dl>
  );
}

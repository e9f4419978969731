import { Avatar } from '../../parts/avatar.tsx';
import { me } from '../../store/model.ts';
import { ConnectionState } from './connection-state.tsx';

/** The foot of the left column: who is logged in, and whether what is shown is true. */
export function OwnLine() {
  const person = me.value;
  return (
    <footer class="own">
      <Avatar person={person} />
      <div class="cut">
        <p class="cut">{person.name}</p>
        <ConnectionState />
      </div>
    </footer>
  );
}

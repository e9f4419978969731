import { route } from '../store/navigation.ts';
import { keyOf } from '../store/route.ts';

/** The messages of a narrow, and what is written to it. */
export function NarrowView() {
  const { value } = route;
  if (value.view !== 'narrow') return null;
  return <div class="scroll">{keyOf(value.narrow)}</div>;
}

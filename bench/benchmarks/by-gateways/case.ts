import type { Case, Context } from '../../suite/context.ts';

/** The name of the axis of all curves of this benchmark. */
export const AXIS = 'gateways';

/** The case of one number of gateways: a point of the curve that has this name. */
export const caseOf = (curve: string, gateways: number): Case => ({
  name: `${curve}, ${gateways} ${gateways === 1 ? 'gateway' : 'gateways'}`,
  at: { axis: AXIS, curve, value: gateways },
});

/** The context of a part that has figures of these names. */
export type Part<Options, Names extends string> = Pick<
  Context<Options, Names>,
  'options' | 'setting' | 'measure' | 'doing' | 'fault' | 'note'
>;

import { setFlagsFromString } from 'node:v8';

/**
 * Lets the old generation of the heap double before V8 collects it again. V8 lets it grow by a
 * tenth where little is allocated for long: it bounds the share of the time that collections take,
 * and not how often requests wait for one (docs/decisions/0309).
 */
export function collectLessOften() {
  setFlagsFromString('--heap-growing-percent=100');
}

import {
  NAVIGATION_FRAGMENT_LENGTH_MAX,
  NAVIGATION_NAME_LENGTH_MAX,
} from '../../domain/limits/accounts.ts';
import { nonBlank } from '../params.ts';

export const fragment = nonBlank
  .max(NAVIGATION_FRAGMENT_LENGTH_MAX, 'is too long')
  .describe('The hash of the URL that shows the view, without `#`; it may contain slashes');
export const viewName = nonBlank
  .max(NAVIGATION_NAME_LENGTH_MAX, 'is too long')
  .describe('Of a view that is not built in');

/** The style of what stands beside the first view, or comes over it. */
import { style } from '../../style/later/beside.css';
import { adoptFirst } from '../adopt.ts';

adoptFirst(style);

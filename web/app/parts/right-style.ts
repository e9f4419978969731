/** The style of the right column. */
import { style } from '../style/later/right.css';
import { adopt } from './adopt.ts';

adopt(style);

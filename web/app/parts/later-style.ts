/** The style of forms, lists and pages that are loaded when they are first shown. */
import { style } from '../style/later/later.css';
import { adopt } from './style/adopt.ts';

adopt(style);

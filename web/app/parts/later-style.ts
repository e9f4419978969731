/** The style of forms, lists and pages that are loaded when they are first shown. */
import { style } from '../style/later/later.css';
import { adopt } from './adopt.ts';

adopt(style);

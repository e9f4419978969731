/** The style of the right column. */

import { adopt } from '../../parts/adopt.ts';
import { style } from '../../style/later/right.css';

adopt(style);

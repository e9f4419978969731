/** The style of the settings and lists of channels, and of cards of people and groups. */

import { adopt } from '../../parts/adopt.ts';
import { style } from '../../style/later/channels.css';

adopt(style);

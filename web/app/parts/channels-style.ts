/** The style of the settings and lists of channels, and of cards of people and groups. */
import { style } from '../style/later/channels.css';
import { adopt } from './adopt.ts';

adopt(style);

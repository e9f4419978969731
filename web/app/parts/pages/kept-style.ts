/** The style of views in parts, and of settings that are kept as soon as they are chosen. */
import { style } from '../../style/later/kept.css';
import { adopt } from '../adopt.ts';
import '../later-style.ts';

adopt(style);

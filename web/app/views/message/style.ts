/** The style of dialogs about messages. */
import { adopt } from '../../parts/adopt.ts';
import { style } from '../../style/later/message.css';

adopt(style);

import { render } from 'preact';
import { Frame } from './frame.tsx';
import { openLive } from './store/live.ts';

openLive();
render(<Frame />, document.body);

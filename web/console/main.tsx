import { render } from 'preact';
import { Frame } from './parts/frame.tsx';
import { openLive } from './store/live.ts';

openLive();
render(<Frame />, document.body);

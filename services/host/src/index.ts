export { runHostProgram } from './host-program';

export { INTERVALS_MS, type Controller, type ControllerHost, type ControllerLogEntry } from './controller';
export { runController } from './run-controller';
export { BadControllerSettings, readControllerSettings, TOKEN_FILE, type ControllerSettings } from './settings';

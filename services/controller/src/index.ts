export {
  INTERVALS_MS,
  type Controller,
  type ControllerHost,
  type ControllerLogEntry,
  BadControllerSettings,
  readControllerSettings,
  TOKEN_FILE,
  type ControllerSettings,
} from './controller';
export { runController } from './run-controller';

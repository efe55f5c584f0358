export { collectPages, eventToAppend, type OpenEventStore } from './event-store-reading.contract';
export { eventStoreContract } from './event-store.contract';
export { readModelsContract, type OpenReadModels } from './read-models.contract';
export { objectAreasContract, objectStoreContract, type OpenObjectStore } from './object-store.contract';
export { stateStoreContract, type OpenStateStore } from './state-store.contract';
export { secretsContract, type OpenSecrets } from './secrets.contract';
export { requestsContract, type OpenRequests } from './requests.contract';
export { eventually, manualClock, type ManualClock, seededIds } from './clock-and-ids';
export * from './decider-specification';
export {
  embeddedSettings,
  needsServer,
  type NatsServer,
  type NatsServerOptions,
  INSTALLER_UID,
  runProgram,
  threadFromSource,
  type RunningProgram,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from './processes';
export * from './cluster-events';
export * from './realm';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';

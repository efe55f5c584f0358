export {
  runAgent,
  DEFAULT_INTERVAL_MS,
  type AgentOptions,
  toLine,
  type AgentLogEntry,
  type AgentObserver,
} from './agent/agent';
export {
  readBootImage,
  readBootImageFile,
  BadDiscoveryIgnition,
  readDiscoverySettings,
  type DiscoverySettings,
  type NatsAccess,
} from './discovery-settings';
export {
  TransportRefused,
  TransportUnreachable,
  type Transport,
  type Instructions,
  type Registration,
  type StepInstruction,
  type StepReply,
} from './transport/transport.port';
export { createHttpTransport, type HttpTransportOptions } from './transport/http-transport';
export {
  createNatsTransport,
  type NatsTransportOptions,
  connectNats,
  type ConnectNats,
} from './transport/nats-transport';
export { openTransport, type OpenTransportOptions, withFallback } from './transport/open-transport';
export { linuxMachine, type LinuxMachineOptions } from './linux/linux-machine';
export * from './machine/inventory';
export {
  hostIdOf,
  isUuid,
  type MachineIdentity,
  StepFailed,
  type Abilities,
  type Ability,
  type Machine,
} from './machine/machine.port';
export { fetchApiVipIgnition, fetchTangAdvertisements } from './steps/remote-checks';
export { MEDIA_LOST_EXIT_CODE, runStep, STEPS, isStepType, type StepOutcome, type StepRow } from './steps/run-step';
export * from './steps/step-work';
export { installFlags, type InstallerAccess } from './linux/run-installer';
export { printInventory, runAgentProgram, runStepProgram } from './agent-program';

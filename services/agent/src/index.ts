export { runAgent, DEFAULT_INTERVAL_MS } from './agent/agent';
export type { AgentOptions } from './agent/agent-options';
export { toLine, type AgentLogEntry, type AgentObserver } from './agent/agent-log-entry';
export { readBootImage, readBootImageFile } from './discovery/boot-image';
export {
  BadDiscoveryIgnition,
  readDiscoverySettings,
  type DiscoverySettings,
  type NatsAccess,
} from './discovery/discovery-settings';
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
export { createNatsTransport, type NatsTransportOptions } from './transport/nats-transport';
export { connectNats } from './transport/connect-nats';
export type { ConnectNats } from './transport/connect-nats.port';
export { openTransport, type OpenTransportOptions } from './transport/open-transport';
export { withFallback } from './transport/with-fallback';
export { linuxMachine, type LinuxMachineOptions } from './linux/linux-machine';
export * from './machine/inventory';
export { hostIdOf, isUuid, type MachineIdentity } from './machine/machine-identity';
export { StepFailed, type Abilities, type Ability, type Machine } from './machine/machine.port';
export { fetchApiVipIgnition, fetchTangAdvertisements } from './steps/remote-checks';
export { MEDIA_LOST_EXIT_CODE, runStep } from './steps/run-step';
export { STEPS, isStepType, type StepOutcome, type StepRow } from './steps/step-table';
export * from './steps/step-work';
export { installFlags, type InstallerAccess } from './steps/install-flags';
export { printInventory, runAgentProgram, runStepProgram } from './agent-program';

export { runAgent, DEFAULT_INTERVAL_MS, type AgentOptions } from './agent/agent';
export { toLine, type AgentNote, type AgentObserver } from './agent/agent-note';
export { realPace, untilAborted, type Pace } from './agent/pace';
export { readBootImage, readBootImageFile } from './discovery/boot-image';
export {
  BadDiscoveryIgnition,
  readDiscoverySettings,
  type DiscoverySettings,
  type NatsAccess,
} from './discovery/discovery-settings';
export {
  DoorRefused,
  DoorUnreachable,
  type Door,
  type Instructions,
  type Registration,
  type StepOrder,
  type StepReply,
} from './door/door.port';
export { API_PREFIX, createHttpDoor, type HttpDoorOptions } from './door/http-door';
export { createNatsDoor, type NatsDoorOptions } from './door/nats-door';
export { connectNats } from './door/connect-nats';
export { openDoor, type ConnectNats, type OpenDoorOptions } from './door/open-door';
export { withSpareDoor } from './door/spare-door';
export { HttpRefused, ServiceUnreachable } from './http/http-failures';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  type HttpClientOptions,
} from './http/http-client';
export {
  AGENT_RETRIES,
  CONTROLLER_RETRIES,
  INSTALLER_RETRIES,
  NO_RETRIES,
  type RetryPolicy,
} from './http/retry-policy';
export { linuxMachine, type LinuxMachineOptions } from './linux/linux-machine';
export * from './machine/inventory';
export { hostIdOf, isUuid, type MachineIdentity } from './machine/machine-identity';
export { StepFailed, type Abilities, type Ability, type Machine } from './machine/machine.port';
export { fetchApiVipIgnition, fetchTangAdvertisements } from './steps/remote-checks';
export { MEDIA_LOST_EXIT_CODE, runStep } from './steps/run-step';
export { STEPS, isStepType, type StepOutcome, type StepRow } from './steps/step-table';
export * from './steps/step-work';

export {
  parseNetwork,
  networkOf,
  type Network,
  createSimulatedNetwork,
  type Plug,
  type SimulatedNetwork,
} from './world/simulated-network';
export {
  createSimulatedWorld,
  type KnownHost,
  type SimulatedCluster,
  type SimulatedNode,
  type SimulatedWorld,
} from './world/simulated-cluster';
export {
  DURATIONS_MS,
  INTERVALS_MS,
  createSimulatedTimer,
  DEFAULT_POLL_MS_MIN,
  type SimulatedTimer,
  type SimulatedTimerOptions,
} from './timer';
export {
  DEFAULT_MACHINE_NETWORK,
  simulatedFleet,
  type BootedImage,
  type FleetMember,
  type SimulatedFleet,
  type SimulatedFleetOptions,
} from './simulated-fleet';
export {
  generateHardware,
  type GenerateHardwareOptions,
  type Hardware,
  hardwareFromDocument,
  HARDWARE_FAULTS,
  type HardwareFault,
  type HardwareFaultId,
} from './hardware/hardware';
export { SERVER_MODELS, type ServerModel } from './hardware/server-models';
export { downloadImage, ImageRefused, type DownloadImageOptions } from './discovery-image';
export { HOST_STAGES, percentOf, type HostStage, type StagePath } from './installation/host-stages';
export {
  type Mishaps,
  simulatedMachine,
  type SimulatedMachine,
  type SimulatedMachineOptions,
} from './machine/simulated-machine';
export type { PowerState, SimulatedHostRef, SimulationObserver } from './observer';
export { createRandom, type Random } from './random';

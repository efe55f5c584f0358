export { parseNetwork, networkOf, type Network } from './world/addresses';
export { createSimulatedNetwork, type Plug, type SimulatedNetwork } from './world/simulated-network';
export {
  createSimulatedWorld,
  type KnownHost,
  type SimulatedCluster,
  type SimulatedNode,
  type SimulatedWorld,
} from './world/simulated-cluster';
export { DURATIONS_MS, INTERVALS_MS } from './durations';
export {
  DEFAULT_MACHINE_NETWORK,
  simulatedFleet,
  type BootedImage,
  type FleetMember,
  type SimulatedFleet,
  type SimulatedFleetOptions,
} from './fleet/simulated-fleet';
export { generateHardware, type GenerateHardwareOptions, type Hardware } from './hardware/generate-hardware';
export { hardwareFromDocument } from './hardware/hardware-from-document';
export { HARDWARE_FAULTS, type HardwareFault, type HardwareFaultId } from './hardware/hardware-faults';
export { SERVER_MODELS, type ServerModel } from './hardware/server-models';
export { downloadImage, ImageRefused, type DownloadImageOptions } from './image/download-image';
export { HOST_STAGES, percentOf, type HostStage, type StagePath } from './installation/host-stages';
export type { Mishaps } from './machine/mishaps';
export { simulatedMachine, type SimulatedMachine, type SimulatedMachineOptions } from './machine/simulated-machine';
export type { PowerState, SimulatedHostRef, SimulationObserver } from './observer';
export { createSimulatedTimer, DEFAULT_POLL_MS_MIN, type SimulatedTimer, type SimulatedTimerOptions } from './timer';
export { createRandom, type Random } from './random';

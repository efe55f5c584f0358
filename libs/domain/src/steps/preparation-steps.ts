import type { StepArguments, StepContext, StepHost } from './step-context';

/** Agents before the newest know no limits, so the limits come only where an operator set them. */
export const inventory: StepArguments = ({ host, settings }) => [
  host.hostId,
  ...(settings.inventoryBytesMax > 0 ? [`--output-max-size=${settings.inventoryBytesMax}`] : []),
  ...(settings.inventoryDiskBytesMin > 0 ? [`--disk-min-size=${settings.inventoryDiskBytesMin}`] : []),
];

/** Partitions that are kept must not be written to, not even to measure. */
export const keepsPartitions = ({ installerArgs }: StepHost): boolean => installerArgs.includes('--save-part');

export const diskSpeedCheck: StepArguments = ({ host, settings, hardware }) => {
  const disk = host.installationDiskId;
  const isSettled = keepsPartitions(host) || hardware?.bootDeviceType === 'persistent';
  if (!disk || isSettled || host.measuredDisks.includes(disk)) return undefined;
  return [JSON.stringify({ path: disk }), settings.diskCheckTimeoutSeconds.toFixed(2)];
};

export const imageAvailability: StepArguments = (context) => {
  const images = imagesOf(context).filter((image) => !context.host.checkedImages.includes(image));
  return images.length > 0
    ? [JSON.stringify({ images, timeout: context.settings.imageAvailabilityTimeoutSeconds })]
    : undefined;
};

/** Marks a component that hosts download from the service instead of a registry. */
const EXECUTABLE_PREFIX = 'muster-host:';

/** Returns the container images that a host must be able to pull before it installs. */
export function imagesOf({ cluster, images }: Pick<StepContext, 'cluster' | 'images'>): string[] {
  return [cluster?.releaseImage, images.machineConfigOperator, images.mustGather, images.installer].filter(
    (image): image is string => Boolean(image) && !image?.startsWith(EXECUTABLE_PREFIX),
  );
}

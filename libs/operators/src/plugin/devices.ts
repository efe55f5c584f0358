import type { OperatorHost } from './operator-facts';

/** GPUs of a vendor, by the first half of their PCI id. */
export const gpusOf = ({ hardware }: Pick<OperatorHost, 'hardware'>, vendors: readonly string[]): number =>
  (hardware?.gpus ?? []).filter(({ vendorId }) => vendors.includes(vendorId)).length;

/** GPUs and network cards that are on a list of `<vendor>:<device>`. */
export function listedDevices(
  { hardware }: Pick<OperatorHost, 'hardware'>,
  gpus: readonly string[],
  nics: readonly string[],
): number {
  if (!hardware) return 0;
  return (
    hardware.gpus.filter(({ vendorId, deviceId }) => gpus.includes(`${vendorId}:${deviceId}`)).length +
    hardware.nics.filter(({ vendorId, productId }) => nics.includes(`${vendorId}:${productId}`)).length
  );
}

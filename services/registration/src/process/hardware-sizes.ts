import type { RoleCandidate } from '@muster/domain';
import { eligibleDisks, type Hardware } from '@muster/validation-rules';

type HardwareSize = NonNullable<RoleCandidate['size']>;

const BYTES_PER_GIB = 1024 ** 3;

/** How much of a machine each host is. Judging disks is the dear part, so it is done once per inventory and release. */
export class HardwareSizes {
  private readonly known = new WeakMap<Hardware, { readonly question: string; readonly size: HardwareSize }>();

  of(hardware: Hardware, openshiftVersion: string, diskGbMin: number): HardwareSize {
    const question = `${openshiftVersion} ${diskGbMin}`;
    const known = this.known.get(hardware);
    if (known?.question === question) return known.size;
    const size = sizeOf(hardware, openshiftVersion, diskGbMin);
    this.known.set(hardware, { question, size });
    return size;
  }
}

function sizeOf(hardware: Hardware, openshiftVersion: string, diskGbMin: number): HardwareSize {
  const disks = eligibleDisks(hardware, openshiftVersion, diskGbMin);
  return {
    cores: hardware.cpuCount,
    usableMemoryGib: hardware.usableMemoryBytes / BYTES_PER_GIB,
    eligibleDisksGib: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / BYTES_PER_GIB,
    hasGpu: hardware.gpuCount > 0,
  };
}

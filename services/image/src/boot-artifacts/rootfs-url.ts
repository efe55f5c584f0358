import type { OsImageEntry } from '../base-images/os-image-catalogue';

/** Where a machine that has no root file system of its own fetches that of its build. */
export function rootfsUrlOf(baseUrl: string, { cpu_architecture, version }: OsImageEntry): string {
  const query = new URLSearchParams({ arch: cpu_architecture, version });
  return `${baseUrl}/boot-artifacts/rootfs?${query.toString()}`;
}

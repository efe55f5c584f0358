/** Returns the path of a partition: a digit at the end of the disk's name asks for a `p` in between. */
export function partitionOf(device: string, number: number): string {
  if (device.startsWith('/dev/mapper/') || device.startsWith('/dev/dm-')) return `${device}${number}`;
  return /\d$/.test(device) ? `${device}p${number}` : `${device}${number}`;
}
